// SPDX-License-Identifier: Apache-2.0
// Every access of a page of tern view: what the picture shows is what sim counted. Of shared memory, by a
// rule of its own: a word that lanes want of a bank is a wavefront, and the numbers below the banks are those of their words.
"use strict";
function drawnAsCounted(holds) {
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  let drawn = 0;
  data.sites.forEach((site, i) => { choose(i, true);
    for (program = 0; program < data.programs_shown; program++) for (request = 0; request < ofProgram().length; request++) {
      draw();
      const cost = current()[4], picture = document.getElementById("touched"), touched = touches(current());
      holds("cost of site " + i, +$("says").dataset.drawn === cost && $("says").textContent.startsWith(cost + " "));
      holds("sectors of site " + i, site.shared || all("rect.sector", picture).length === cost);
      holds("lanes of site " + i, new Set(all(".lane", picture).flatMap(g => g.dataset.lanes.split(" "))).size === touched.length);
      if (site.shared && site.bytes <= 4) {
        const words = [...new Set(touched.map(t => Math.floor(t.at / 4)))], banks = [...Array(32).keys()].map(b => words.filter(w => w % 32 === b).length);
        const texts = all("text", picture), from = texts.findIndex(t => t.textContent === "words of a bank") + 1;
        holds("wavefronts of site " + i, Math.max(...banks) === cost);
        holds("words of site " + i, String(texts.slice(from).map(t => +t.textContent)) === String(banks.filter(n => n > 0)));
      }
      drawn++;
    } });
  holds("all are drawn", drawn === data.requests.length && drawn > 0);
}
