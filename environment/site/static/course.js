/* What style sheets cannot do: names for the screen reader, cells with sentences, scrolling boxes reached by keyboard and seen to scroll, solutions open on paper. */
document.addEventListener("DOMContentLoaded", function () {
  function label(selector, text) {
    document.querySelectorAll(selector).forEach(function (e) { e.setAttribute("aria-label", text); });
  }
  label("aside.sidebar-drawer", "Course navigation");
  label("aside.toc-drawer", "On this page");
  document.querySelectorAll("[role=heading]:not([aria-level])").forEach(function (e) { e.setAttribute("aria-level", "2"); });

  // A folded cell's own words name it; the label it comes with has others.
  document.querySelectorAll("details.hide > summary").forEach(function (e) { e.removeAttribute("aria-label"); });

  // A cell with a sentence in it breaks its lines, but not after every word.
  document.querySelectorAll("div.cell_output td").forEach(function (e) { if (e.textContent.length > 24) e.classList.add("long"); });

  // A box that scrolls sideways fades out on the side where there is more.
  function fade(e) {
    var rest = e.scrollWidth - e.clientWidth - e.scrollLeft;
    e.classList.toggle("more-left", e.scrollWidth > e.clientWidth && e.scrollLeft > 1);
    e.classList.toggle("more-right", rest > 1);
  }
  var boxes = document.querySelectorAll("pre, div.math, div.cell_output, div.cell_output figure, .table-wrapper");
  boxes.forEach(function (e) { e.addEventListener("scroll", function () { fade(e); }, {passive: true}); });
  function focusable() {
    boxes.forEach(function (e) {
      if (e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight) e.tabIndex = 0;
      else e.removeAttribute("tabindex");
      fade(e);
    });
  }
  focusable();
  addEventListener("load", focusable);
  addEventListener("resize", focusable);
  document.querySelectorAll("details").forEach(function (e) { e.addEventListener("toggle", focusable); });

  var opened = [];
  addEventListener("beforeprint", function () {
    opened = Array.from(document.querySelectorAll("details:not([open])"));
    opened.forEach(function (e) { e.open = true; });
  });
  addEventListener("afterprint", function () { opened.forEach(function (e) { e.open = false; }); });
});
