// SPDX-License-Identifier: Apache-2.0
// What a reader does with the page of tern view, in a browser: pointing at lines, clicking, scrubbing.
// Appended to the page of copy_strided by view.sh, behind view_drawn.js; says "fine", or what is not, in the attribute data-test.
"use strict";
{
const wrong = [], holds = (what, is) => { if (!is) wrong.push(what); };
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
try {
  const point = (row, kind) => row.dispatchEvent(new MouseEvent(kind, {bubbles: true}));
  const panes = ["source", "after", "ptx"].map(name => document.getElementById("pane_" + name));
  const store = all("tr.at", panes[0]).find(tr => tr.textContent.includes("tl.store(y + j"));
  point(store, "mouseover");
  panes.forEach(pane => holds("a line of the source lights up its lines in " + pane.id, all("tr.hot", pane).length > 0));
  const lit = all("tr.hot", panes[2]);
  holds("and no others", lit.length < all("tr.at", panes[2]).length && lit.every(tr => tr.dataset.at === store.dataset.at));
  const other = all("tr.at", panes[2]).find(tr => tr.dataset.at !== store.dataset.at);
  point(other, "mouseover");
  holds("and the reverse", all("tr.hot", panes[0]).length === 1 && !store.classList.contains("hot") && all("tr.hot", panes[0])[0].dataset.at === other.dataset.at);
  point(store, "click");
  holds("a click keeps it", store.classList.contains("pin") && all("tr.pin", panes[2]).length === lit.length);
  holds("a click on a line chooses its access", all("#sites tr.chosen").length === 1);
  drawnAsCounted(holds);
  // Scrubbing: of copy_strided program p has elements 1024 p on, whose places are rest % 128 * 32 + rest / 128.
  const slider = document.getElementById("program");
  choose(data.sites.findIndex(s => s.kind === "store" && !s.shared), true);
  holds("a slider over all programs", +slider.max === 3);
  slider.value = 2; slider.dispatchEvent(new Event("input"));
  holds("the program is said", $("program_is").textContent === "2 of 4, at (2, 0, 0)");
  const over = overs[$("over").value], places = [...Array(1024).keys()].map(k => (2048 + k) % 128 * 32 + Math.floor((2048 + k) / 128));
  holds("its elements", over.writes && over.of.get(2).size === 1024 && places.every(k => over.of.get(2).has(k) && over.owner[k] === 2));
  holds("and no others", over.owner.filter(p => p === 2).length === 1024 && over.owner.every(p => p >= 0));
  holds("they are drawn", $("programs").width > 100 && $("over_is").textContent.includes("program 2 writes 1,024 elements"));
  // Panes go and come.
  const button = all("#toggles button").find(b => b.textContent === "IR before passes");
  button.click();
  holds("a pane comes", document.getElementById("pane_before").clientWidth > 50);
  holds("nothing is fetched", performance.getEntriesByType("resource").length === 0);
} catch (error) { wrong.push(String(error.stack)); }
document.documentElement.dataset.test = wrong.length ? wrong.join("; ") : "fine";
}
