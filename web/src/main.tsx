import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import "./style/base.css";
import "./style/run.css";
import "./style/figures.css";
import "./style/narrow.css";

const root = document.querySelector("#root");
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
