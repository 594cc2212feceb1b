/** The application menu: editing, zoom and windows. No reload and no links: the panel has its own ways. */

import { type MenuItemConstructorOptions, Menu as SystemMenu } from "electron";

/**
 * The bar itself stays hidden on Linux and Windows; its keys work.
 * @param isPackaged developer tools are for checkouts
 */
export function setAppMenu(isPackaged: boolean): void {
  const separator: MenuItemConstructorOptions = { type: "separator" };
  const template: MenuItemConstructorOptions[] = [
    ...(process.platform === "darwin" ? [{ role: "appMenu" } as const] : []),
    { role: "editMenu" },
    {
      role: "viewMenu",
      submenu: [
        { role: "resetZoom" },
        { role: "zoomIn" },
        { role: "zoomOut" },
        separator,
        { role: "togglefullscreen" },
        ...(isPackaged ? [] : [separator, { role: "toggleDevTools" } as const]),
      ],
    },
    { role: "windowMenu" },
  ];
  SystemMenu.setApplicationMenu(SystemMenu.buildFromTemplate(template));
}
