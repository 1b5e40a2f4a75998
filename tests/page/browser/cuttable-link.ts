/** The socket of a page, which a test can cut and mend. */
import type { Page, WebSocketRoute } from 'playwright-core';

export interface CuttableLink {
  /** Ends the link, and refuses every further one. */
  cut(): Promise<void>;
  /** The next try of the page succeeds. */
  mend(): void;
}

/** For pages that are opened after it. */
export async function cuttableLink(page: Page): Promise<CuttableLink> {
  const open = new Set<WebSocketRoute>();
  let isCut = false;
  await page.routeWebSocket(/\/page\/socket$/u, async (socket) => {
    if (isCut) return socket.close();
    socket.connectToServer();
    open.add(socket);
  });
  return {
    async cut() {
      isCut = true;
      const sockets = [...open];
      open.clear();
      await Promise.all(sockets.map((socket) => socket.close()));
    },
    mend() {
      isCut = false;
    },
  };
}
