import "./app.css";
import "./kit/base.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { askAhead, client } from "./host/queries";
import { setupI18n } from "./i18n";
import { Shell } from "./shell/Shell";

document.documentElement.dataset.system = /Linux/.test(navigator.platform) ? "linux" : "other";
askAhead();
void setupI18n("system", navigator.language);
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <Shell />
    </QueryClientProvider>
  </StrictMode>,
);
