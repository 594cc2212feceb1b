/** Entry of the panel: fonts, styles, and the app on the transport that this page has. */

import "./ui/fonts.css";
import "./ui/tokens.css";
import "./ui/base.css";
import "./ui/components.css";
import "./app/frame.css";
import { createRoot } from "react-dom/client";
import { App } from "./app/App.tsx";
import { createPanelRpc } from "./rpc/connection.ts";
import { defaultTransport } from "./rpc/transport.ts";

const root = document.getElementById("root");
if (root !== null) createRoot(root).render(<App rpc={createPanelRpc(defaultTransport())} />);
