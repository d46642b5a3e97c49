// Wide tables, formulas and charts scroll. The keyboard scrolls what it can focus.
"use strict";

(() => {
  const reach = () =>
    document
      .querySelectorAll(".md-typeset__scrollwrap, .md-typeset .formula, .md-typeset p:has(> img.chart)")
      .forEach((x) => {
        if (x.scrollWidth > x.clientWidth + 1) x.tabIndex = 0;
        else x.removeAttribute("tabindex");
      });
  addEventListener("load", reach);
  addEventListener("resize", reach);
})();
