/** What the runtime needs, and what it offers to the Gateway, the windows, the CLI and tests. */

import type { AppStatus, OutputSize, SallyportContract } from "../../shared/contract/index.ts";
import type { HttpInvokeDecision, HttpInvokeRequest } from "../../shared/policy/index.ts";
import type { EventPayload, EventSource, Handlers, Scope } from "../../shared/rpc/index.ts";
import type { EmbeddedBrowser } from "./browser/profiles/createBrowserProfiles.ts";
import type { Clock } from "./clock.ts";
import type { Logger } from "./logging/logger.ts";
import type { RestartHost } from "./restart/index.ts";
import type { SecretVault } from "./secrets/index.ts";
import type { ToolContent, ToolDefinition } from "./tools/defineTool.ts";

/** Whether the screen is locked: a locked screen means that nobody sees a prompt (A17). */
export interface ScreenLock {
  isLocked(): boolean;
}

export interface RuntimeDeps {
  /** Absolute. Every file of the runtime is below it. */
  stateDir: string;
  /** The person's home, for `~` in patterns and for OpenClaw's default approvals file. */
  homeDir: string;
  /** Environment that exec starts from, before the rules of exec.md §3.8. */
  baseEnv: Record<string, string>;
  version: string;
  shell: "electron" | "headless";
  /** How a client starts the command line of this installation; absent or null: not known. */
  commandLine?: AppStatus["commandLine"];
  logger: Logger;
  clock: Clock;
  screenLock: ScreenLock;
  /** Seals stored keys with the system's keyring; absent or null: there is none, and they are in a private file. */
  secretVault?: SecretVault | null;
  /** A Chromium that the shell brings along, for computers without a browser. */
  embeddedBrowser?: EmbeddedBrowser;
  /** Can make this runtime anew in the same process; absent: a restart is refused with the reason. */
  restartHost?: RestartHost;
  /** Tools on top of the built-in ones: plugins, and fixtures in tests. */
  extraTools?: ToolDefinition[];
  /** false: looks at `mcp.servers` and starts none, as for one command of the terminal; absent: starts the confirmed. */
  startsServers?: boolean;
}

/** On whose behalf a tool is listed or called. */
export interface Caller {
  /** `mcp:<clientId>`, `panel:main`, `cli` */
  id: string;
  /** For a person to read; untrusted text when a client chose it. */
  label: string;
  agentId: string;
  sessionKey: string;
  isOwner: boolean;
  provider: string | null;
  model: string | null;
  surface: "mcp" | "panel" | "http" | "skill";
  /** With surface `skill`: the skill whose command this is. It offers fewer tools, and its calls say so. */
  skill?: SkillCommand;
  /** Message channel and account that a caller over HTTP speaks for (`x-openclaw-…`). */
  channel?: string;
  accountId?: string;
  /**
   * An in-memory policy that counts instead of the agent's own: `unmapped` clients see what `minimal` names and
   * nothing else; `tryout` is the scripted agent of "Try it". Absent: the saved config.
   */
  overlay?: "unmapped" | "tryout";
}

/** A skill's command that was called; its text is untrusted. */
export interface SkillCommand {
  name: string;
  /** The word after the slash. */
  commandName: string;
  /** Its SKILL.md. */
  path: string;
}

export interface ToolListing {
  name: string;
  title: string;
  description: string;
  promptLine: string;
  inputSchema: Record<string, unknown>;
  risk: "read" | "write" | "execute";
}

/** How a call ended for its caller. `unknownTool` is also the answer for a hidden tool. */
export type CallOutcome =
  | { kind: "unknownTool"; tool: string }
  | { kind: "invalid"; tool: string; issues: { path: string; message: string }[] }
  | {
      kind: "result";
      toolCallId: string;
      content: ToolContent[];
      details?: unknown;
      isError: boolean;
      /** Absent when no tool ran. */
      output?: OutputSize;
    }
  | { kind: "refused"; toolCallId: string; text: string; details: Record<string, unknown> }
  /** Still waits for a person after `holdMs`; fetch it with `waitApproval`. */
  | { kind: "pending"; toolCallId: string; approvalId: string; command: string; expiresAtMs: number }
  | { kind: "cancelled"; toolCallId: string };

export interface CallOptions {
  /** The caller cancels the call. */
  signal: AbortSignal;
  /**
   * The caller went away without cancelling. A call that waits for a person goes on waiting, and its session can
   * fetch the outcome later; one that runs in the foreground is ended. Must abort before `signal` when both do.
   */
  detached?: AbortSignal;
  onProgress?: (text: string) => void;
  /** The surface refuses by a list of its own: nothing runs, the call is recorded, the answer is `unknownTool`. */
  isRefused?: boolean;
  /** Give back `pending` when a person has not answered after this many milliseconds; null = wait to the end. */
  holdMs: number | null;
}

/** The one way to the tools, for every surface. */
export interface ToolSurface {
  /** Exactly the tools that survive the pipeline for this caller, in schema order. */
  listTools(caller: Caller): { tools: ToolListing[]; instructions: string };
  callTool(caller: Caller, tool: string, args: unknown, options: CallOptions): Promise<CallOutcome>;
  /** Whether this session has an approval whose outcome was not fetched yet: then `approval_wait` is listed. */
  hasOpenApproval(sessionKey: string): boolean;
  /** Only approvals of the caller's own session are found; others answer as unknown. */
  waitApproval(caller: Caller, approvalId: string, options: CallOptions): Promise<CallOutcome>;
  /** Called when what some caller sees may have changed: config, mapping, open approvals. */
  onListChanged(listener: (sessionKey: string | null) => void): () => void;
}

/** An authenticated MCP client, as kept in `sallyport.json5`. */
export interface AuthenticatedClient {
  clientId: string;
  caller: Caller;
}

export interface ClientRegistry {
  /** Constant time; null for an unknown or revoked token. */
  authenticate(token: string): AuthenticatedClient | null;
  /** The caller as mapped now; null when the client was revoked meanwhile. */
  callerOf(clientId: string): Caller | null;
  connected(clientId: string, about: { name: string; version: string } | null): () => void;
  /** Creates the client of the stdio bridge when it does not exist yet, and returns a token for it. */
  ensureClient(name: string): Promise<{ clientId: string; token: string }>;
  /** Called with the id of a client whose token stopped working: close its connections. */
  onRevoked(listener: (clientId: string) => void): () => void;
}

export interface Runtime {
  handlers: Handlers<SallyportContract>;
  events: EventSource<SallyportContract>;
  tools: ToolSurface;
  clients: ClientRegistry;
  /** A connection that can show prompts came or went (A17). */
  presence: { attend(connectionId: string): void; leave(connectionId: string): void };
  /** The Gateway brings the scripted MCP client of "Try it"; without one `tryout.start` is unavailable. */
  attachTryout(runner: TryoutRunner): void;
  gatewaySettings(): GatewaySettings;
  /** Whether a request to `POST /tools/invoke` reaches a tool, and in which context. Nothing runs. */
  decideHttp(request: HttpInvokeRequest): HttpInvokeDecision;
  /** Told by the Gateway, shown in `app.status`. */
  reportGateway(
    state: { kind: "listening"; address: string; port: number } | { kind: "off"; reason: string },
  ): void;
  reportLag(p99Ms: number): void;
  /** Ends processes, closes files; may be called twice. */
  dispose(): Promise<void>;
}

export type TryoutSteps = EventPayload<SallyportContract, "tryout.changed">["steps"];

/**
 * Runs the script once as an MCP client of its own.
 * @param caller the in-memory agent `tryout`
 * @param report called with all steps whenever one changes
 * @param signal ends the run; what it started is ended too
 */
export type TryoutRunner = (
  caller: Caller,
  report: (steps: TryoutSteps) => void,
  signal: AbortSignal,
) => Promise<void>;

export interface GatewaySettings {
  /** `gateway.port`, `OPENCLAW_GATEWAY_PORT`, default 18789. */
  port: number;
  /** How long a call waits for a person before `pending` (`approvals.holdMs` in sallyport.json5). */
  holdMs: number;
  /** The secret of operators: `gateway.auth.token`, `OPENCLAW_GATEWAY_TOKEN`, else one made and kept in the state directory. */
  operatorToken: string;
  http: HttpSettings;
}

/** What the HTTP APIs of the Gateway ask for (gateway-sessions-nodes.md §5). */
export interface HttpSettings {
  auth:
    | { kind: "secret"; secret: string }
    /** `gateway.auth.mode: "none"`: scopes as the request claims them. */
    | { kind: "open" }
    /** A mode whose callers cannot reach a Gateway that listens on loopback only. */
    | { kind: "closed"; mode: string };
  /** null: wrong secrets are not counted. */
  rateLimit: RateLimit | null;
  /** Value of `Strict-Transport-Security`, or null. */
  strictTransportSecurity: string | null;
}

export interface RateLimit {
  maxAttempts: number;
  windowMs: number;
  lockoutMs: number;
  exemptLoopback: boolean;
}

/** Scopes of a person at the panel or the terminal. */
export const operatorScopes: ReadonlySet<Scope> = new Set<Scope>([
  "operator.read",
  "operator.write",
  "operator.approvals",
  "operator.pairing",
  "operator.admin",
]);
