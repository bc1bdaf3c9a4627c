// SPDX-License-Identifier: Apache-2.0
// What a reader does with a flame graph, in a browser: zooms by a click, resets, searches by a word. prof.sh puts it into the SVG
// and into report.html of the network of examples/lab; says "fine", or what is not, in the attribute data-test of the root.
"use strict";
{
const wrong = [], holds = (what, is) => { if (!is) wrong.push(what); };
try {
  const click = at => at.dispatchEvent(new MouseEvent("click", {bubbles: true}));
  const graph = [...document.querySelectorAll(".f")], width = f => +f.querySelector("rect").getAttribute("width");
  const named = name => graph.filter(f => f.querySelector("title").textContent.startsWith(name));
  const seen = f => f.style.display !== "none", all = graph[0], before = graph.map(width);
  const layers = ["layer 0", "layer 1", "layer 2"].map(name => named(name)[0]);
  holds("the network and its layers are there", named("network").length === 1 && layers.every(f => f));
  holds("the root has all of the width", width(all) === 1200 && layers.every(f => width(f) < 1200));
  click(layers[1]);
  holds("a click zooms", Math.abs(width(layers[1]) - 1200) < 0.01 && seen(layers[1]));
  holds("what is beside goes away", !seen(layers[0]) && !seen(layers[2]) && seen(named("network")[0]));
  holds("its name fits now", layers[1].querySelector("text").textContent === "layer 1");
  click(document.getElementById("reset"));
  holds("a click on reset shows all", graph.every((f, i) => seen(f) === before[i] > 0.1 && Math.abs(width(f) - before[i]) < 0.01));
  window.prompt = () => "^layer [02]";
  click(document.getElementById("search"));
  const hits = graph.filter(f => f.classList.contains("hit"));
  holds("a search marks what has the word", hits.length >= 2 && hits.includes(layers[0]) && hits.includes(layers[2]) && !hits.includes(layers[1]));
  holds("and says how many", document.getElementById("found").textContent === hits.length + " found");
  window.prompt = () => "(";
  click(document.getElementById("search"));
  holds("what is no expression finds nothing", !graph.some(f => f.classList.contains("hit")) && document.getElementById("found").textContent === "");
} catch (error) { wrong.push(String(error)); }
document.documentElement.setAttribute("data-test", wrong.join("; ") || "fine");
}
