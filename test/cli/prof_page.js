// SPDX-License-Identifier: Apache-2.0
// What a reader does with report.html, in a browser: sorts, chooses a row, zooms the timeline. Appended to that of the network of
// examples/lab by prof.sh; says "fine", or what is not, in the attribute data-page of the root.
"use strict";
{
const wrong = [], holds = (what, is) => { if (!is) wrong.push(what); };
try {
  const rows = () => [...$("table").tBodies[0].rows], cells = () => rows().map(tr => tr.cells[0].textContent);
  holds("a row for each name", rows().length === data.rows.length && cells().includes("layer 2"));
  $("table").tHead.rows[0].cells[0].click();
  holds("a click on a column sorts by it", cells().every((name, i) => !i || cells()[i - 1].localeCompare(name) <= 0));
  rows()[cells().indexOf("layer 2")].click();
  const calls = data.rows.find(row => row.name === "layer 2").calls;
  holds("a click on a row chooses it", $("chosen").textContent === "layer 2" && $("order").querySelectorAll("rect").length === calls);
  const whole = $("span").textContent, span = to - from;
  canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: -500, cancelable: true}));
  holds("the wheel zooms", to - from < span && $("span").textContent !== whole);
  $("all").click();
  holds("and a click on all shows all", from === 0 && to === data.wall && $("span").textContent === whole);
} catch (error) { wrong.push(String(error)); }
document.documentElement.setAttribute("data-page", wrong.join("; ") || "fine");
}
