/** What the browser service offers to the tool, the panel and the command line. */

import type { BrowserInput, BrowserProfileView, BrowserTab } from "../../../../shared/contract/index.ts";
import type { Snapshot, SnapshotRequest } from "../browserTypes.ts";
import type { SavedDownload } from "../records/downloads.ts";
import type { FileRoots } from "../records/fileRoots.ts";
import type { Tab } from "../tabs/tab.ts";
import type { ActOutcome, Observe } from "./acts.ts";
import type { Film } from "./film.ts";
import type { ScreenshotRequest } from "./look.ts";
import type { Box, Picture } from "./pictures.ts";
import type { Actor, CausedEvent, PageFacts, TabChoice } from "./serviceTypes.ts";

export interface NavigateOutcome extends PageFacts {
  /** The document was not whole when the time was over. */
  stillLoading: boolean;
  events: CausedEvent[];
  /** Tabs that were closed to keep the limit. */
  closedTabs: string[];
  /** The page as text, when that was asked for and it is small. */
  page: Snapshot | null;
  /** It was asked for, and is more than fits here. */
  isPageTooLarge: boolean;
}

export interface ScreenshotOutcome extends PageFacts {
  picture: Picture;
  /** Picture pixels per CSS pixel. */
  scale: number;
  boxes: Box[];
}

export interface BrowserService {
  film: Film;
  /** Whether an agent's act waits for a person now. */
  asksBeforeActs(): boolean;
  /** Tells that profiles or tabs changed, or only records of pages; not throttled. */
  onChanged(listener: (what: "state" | "records") => void): () => void;
  profileView(name: string | undefined): BrowserProfileView;
  profileViews(): BrowserProfileView[];
  pause(name: string | undefined, isPaused: boolean): void;
  start(name: string | undefined, signal?: AbortSignal): Promise<BrowserProfileView>;
  stop(name: string | undefined): Promise<{ stopped: boolean }>;
  /** Of one profile, or of all running ones. Starts nothing. */
  tabs(profile?: string): Promise<BrowserTab[]>;
  /** Starts nothing. @throws AppError not_running, tab_not_found */
  tab(choice: TabChoice): Promise<Tab>;
  open(
    choice: { profile?: string | undefined; url: string; timeoutMs?: number; observe?: Observe },
    actor: Actor,
  ): Promise<NavigateOutcome>;
  focus(choice: TabChoice, actor: Actor): Promise<PageFacts>;
  close(choice: TabChoice, actor: Actor): Promise<PageFacts>;
  navigate(
    choice: TabChoice & {
      to: { url: string } | { history: "back" | "forward" | "reload" };
      timeoutMs?: number;
      observe?: Observe;
    },
    actor: Actor,
  ): Promise<NavigateOutcome>;
  snapshot(
    choice: TabChoice,
    request: SnapshotRequest,
    actor: Actor,
  ): Promise<PageFacts & { snapshot: Snapshot }>;
  screenshot(
    choice: TabChoice,
    request: ScreenshotRequest & { withBoxes?: boolean; labels?: boolean },
    actor: Actor,
  ): Promise<ScreenshotOutcome>;
  pdf(choice: TabChoice, actor: Actor): Promise<PageFacts & { path: string }>;
  act(choice: TabChoice, request: unknown, actor: Actor, options: { observe: Observe }): Promise<ActOutcome>;
  upload(
    choice: TabChoice & {
      paths: string[];
      ref?: string | undefined;
      inputRef?: string | undefined;
      element?: string | undefined;
      timeoutMs?: number | undefined;
    },
    actor: Actor,
  ): Promise<PageFacts & { armed: boolean; files: number }>;
  dialog(
    choice: TabChoice & { accept: boolean; promptText?: string | undefined; timeoutMs?: number | undefined },
    actor: Actor,
  ): Promise<PageFacts & { armedForMs: number }>;
  /** With a ref: clicks it and keeps what it downloads; without: waits for the next download. */
  download(
    choice: TabChoice & {
      ref?: string | undefined;
      path?: string | undefined;
      timeoutMs?: number | undefined;
    },
    actor: Actor,
  ): Promise<PageFacts & { download: SavedDownload }>;
  /** By a person's hand on the live view. */
  input(choice: TabChoice, input: BrowserInput): Promise<void>;
  saveMedia(bytes: Uint8Array, ending: "png" | "jpg" | "pdf"): Promise<string>;
  fileRoots(): Promise<FileRoots>;
  /** Closes the tabs of sessions that are over. */
  endSessions(isEnded: (sessionKey: string) => boolean): Promise<void>;
  dispose(): Promise<void>;
}
