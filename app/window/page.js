// Runs in Portico's page once it is loaded. It keeps the page where it is: a file that is dropped without anybody taking it
// would replace the page in WebView2 and WebKitGTK.
(() => {
  if (window.porticoGuarded) return;
  window.porticoGuarded = true;
  const files = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  for (const kind of ["dragenter", "dragover", "drop"]) {
    window.addEventListener(kind, (event) => { if (files(event)) event.preventDefault(); });
  }
  // WebView2 gives paths only to a page that listens for them; what it gives arrives in Go, not here.
  window.runtime?.OnFileDrop?.(() => {}, false);
  // Where the toolkit does not tell Go that the window moved, the page does.
  const moved = () => window.runtime?.EventsEmit("portico.moved");
  window.addEventListener("resize", moved);
  window.addEventListener("blur", moved);
})();
