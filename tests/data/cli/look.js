// Looks at a report as a reader would: how it is laid out, what is cut off, what a mark says when it
// is pointed at.  report.bats puts it into a copy of the page; what it finds is JSON in #facts.
"use strict";

function inside(inner, outer) {
  return inner.left >= outer.left - 1 && inner.right <= outer.right + 1 &&
         inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
}

function overlap(a, b) {
  return a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
}

// Texts that stand outside of their picture, and pairs of level ones that lie over each other.
function looksOfTexts(svg) {
  const texts = [...svg.querySelectorAll("text")];
  const boxes = texts.map((t) => t.getBoundingClientRect());
  const frame = svg.getBoundingClientRect();
  const cut = texts.filter((t, i) => t.textContent && !inside(boxes[i], frame));
  const level = boxes.filter((b, i) => texts[i].textContent && !(texts[i].getAttribute("transform") || "").includes("rotate"));
  let overlaps = 0;
  level.forEach((a, i) => level.slice(i + 1).forEach((b) => { overlaps += overlap(a, b); }));
  return { cut: cut.map((t) => t.textContent), overlaps };
}

// Every tooltip of a group of marks stands for one point and those that it says it covers.
function pointsOf(group) {
  let points = 0;
  group.querySelectorAll("title").forEach((t) => {
    const more = t.textContent.match(/ and (\d+) more here$/);
    points += 1 + (more ? Number(more[1]) : 0);
  });
  return points;
}

function groupsOf(svg) {
  const groups = {};
  svg.querySelectorAll("g").forEach((g) => {
    groups[g.getAttribute("class")] = { points: pointsOf(g), marks: g.children.length };
  });
  return groups;
}

// What the browser finds at the middle of a mark: its own tooltip, or that of one drawn over it.
function tipAt(mark) {
  mark.scrollIntoView({ block: "center" });
  const box = mark.getBoundingClientRect();
  const hit = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
  const title = hit && hit.querySelector(":scope > title");
  return title ? title.textContent : null;
}

const facts = { pictures: {} };
document.querySelectorAll("figure").forEach((f) => {
  const svg = f.querySelector("svg");
  facts.pictures[f.id] = { ...looksOfTexts(svg), groups: groupsOf(svg) };
});
facts.overflow = document.documentElement.scrollWidth - window.innerWidth;
facts.background = getComputedStyle(document.body).backgroundColor;
facts.color = getComputedStyle(document.body).color;
facts.axis = getComputedStyle(document.querySelector("svg text")).fill;
facts.resources = performance.getEntriesByType("resource").length;
facts.scripts = document.scripts.length - 1; // but this one
facts.origin = document.querySelector(".origin").textContent;
facts.words = document.body.textContent.includes("Written by aptune");
const marks = [...document.querySelectorAll("figure .dots > path, figure .rings > path")];
facts.tips = marks.map(tipAt);
const pre = document.createElement("pre");
pre.id = "facts";
pre.textContent = JSON.stringify(facts);
document.body.append(pre);
