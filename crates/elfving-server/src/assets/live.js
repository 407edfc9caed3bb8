// Live update, and pasting a column into cells. Everything works without this.
"use strict";
(() => {
  const live = document.body.dataset.live;
  const kinds = ["created", "asked", "told", "failed", "corrected", "closed", "earlier", "decided", "released", "barred", "allowed", "changed", "extended"];
  let dirty = false, loading = false, again = false;
  document.addEventListener("input", () => { dirty = true; });

  async function refresh() {
    // What somebody types is not thrown away: they are told that there is news.
    if (dirty || document.querySelector("main form.keep")) {
      document.getElementById("news").hidden = false;
      return;
    }
    if (loading) { again = true; return; }
    loading = true;
    try {
      const answer = await fetch(location.href, { headers: { accept: "text/html" } });
      if (answer.ok && !dirty) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const fresh = page.querySelector("main");
        if (fresh) document.querySelector("main").replaceWith(document.adoptNode(fresh));
      }
    } finally {
      loading = false;
      if (again) { again = false; refresh(); }
    }
  }

  if (live && window.EventSource) {
    const events = new EventSource(live);
    for (const kind of kinds) events.addEventListener(kind, refresh);
    window.addEventListener("pagehide", () => events.close());
  }

  document.addEventListener("paste", (event) => {
    const cell = event.target;
    if (!(cell instanceof HTMLInputElement) || !cell.classList.contains("cell")) return;
    const lines = event.clipboardData.getData("text").replace(/\r/g, "").replace(/\n$/, "").split("\n");
    if (lines.length < 2) return;
    event.preventDefault();
    const cells = [...document.querySelectorAll("input.cell")];
    const first = cells.indexOf(cell);
    lines.forEach((line, k) => {
      if (cells[first + k]) cells[first + k].value = line.split("\t")[0].trim();
    });
    dirty = true;
  });
})();
