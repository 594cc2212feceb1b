/** Wires the runtime: the one place that knows every part of it. */

import type { SallyportContract } from "../../shared/contract/index.ts";
import { allHardening, type Hardening, hardeningRules } from "../../shared/hardening/index.ts";
import { defaultAgentId } from "../../shared/policy/index.ts";
import { agentScopes } from "../../shared/policy/scopes.ts";
import type { Handlers } from "../../shared/rpc/index.ts";
import { createApprovalParts } from "./approvals/approvalParts.ts";
import { createGrants } from "./approvals/grants.ts";
import { createPresence } from "./approvals/presence.ts";
import { createPromptCheck } from "./approvals/promptCheck.ts";
import { createCalls } from "./calls/createCalls.ts";
import { createToolSurface } from "./calls/createToolSurface.ts";
import { createLoopGuard } from "./calls/loopGuard.ts";
import { createClients } from "./clients/createClients.ts";
import { createConfigStore, createSettingsStore, resolveHardening } from "./config/index.ts";
import { createEventHub } from "./events/eventHub.ts";
import { createFsExecutableLookup } from "./exec/analysis/fsLookup.ts";
import { createExecService } from "./exec/execService.ts";
import { createExecHosts } from "./exec/hosts/index.ts";
import { probeLoginPath } from "./exec/loginPath.ts";
import { createPlaces } from "./exec/places.ts";
import { createRuleFindings } from "./exec/ruleFindings.ts";
import { createExecSessions, createNodePtyHost, limitsFromEnv } from "./exec/sessions/index.ts";
import { cleanupLimit, mcpUrlOf, portOf } from "./gatewaySettings.ts";
import { createAppHandlers } from "./handlers/appHandlers.ts";
import { createApprovalHandlers, publishApprovals } from "./handlers/approvalHandlers.ts";
import { createCallHandlers } from "./handlers/callHandlers.ts";
import { createClientHandlers } from "./handlers/clientHandlers.ts";
import { createConfigHandlers } from "./handlers/configHandlers.ts";
import { createPolicyHandlers } from "./handlers/policyHandlers.ts";
import { createProcessDesk } from "./handlers/processHandlers.ts";
import { createSkillHandlers } from "./handlers/skillHandlers.ts";
import { httpSettingsOf } from "./httpSettings.ts";
import { createLedgerRecorder } from "./ledgerRecorder.ts";
import { createBroadMode } from "./mode/broadMode.ts";
import { createAssertionDesk } from "./policy/assertionDesk.ts";
import { createPolicyService } from "./policy/createPolicyService.ts";
import { createSeenContexts } from "./policy/seenContexts.ts";
import type { Caller, Runtime, RuntimeDeps } from "./runtimeTypes.ts";
import { createOperatorToken } from "./secrets/index.ts";
import { createSkills } from "./skills/createSkills.ts";
import { createStatusDesk } from "./status.ts";
import {
  createApprovalsStore,
  createLedger,
  createProcessOwnership,
  ensureStateDir,
  loadOperatorToken,
  openDatabase,
  statePaths,
} from "./storage/index.ts";
import { createTools } from "./tools/createTools.ts";
import { createTryoutDesk } from "./tryout.ts";

const loginProbeTimeoutMs = 15_000;

/**
 * Starts the runtime on a state directory. Nothing listens and no window opens: that is up to the composition roots.
 * @throws AppError UNAVAILABLE when the state directory cannot be used
 */
export async function createRuntime(deps: RuntimeDeps): Promise<Runtime> {
  const { logger, clock } = deps;
  await ensureStateDir(deps.stateDir);
  const paths = statePaths(deps.stateDir, deps.homeDir);
  const hub = createEventHub(logger);

  const [config, settings, ownToken] = await Promise.all([
    createConfigStore({ path: paths.config, logger, clock }),
    createSettingsStore({ path: paths.settings, logger, clock }),
    loadOperatorToken(paths.operatorToken),
  ]);
  const operatorToken = await createOperatorToken({
    config,
    env: deps.baseEnv,
    homeDir: deps.homeDir,
    ownToken,
    logger,
  });
  let hardening: Hardening = allHardening;
  const applyHardening = () => {
    ({ hardening } = resolveHardening(settings.settings(), hardeningRules));
  };
  applyHardening();
  const approvalsFile = await createApprovalsStore({
    path: paths.approvals,
    otherPath: paths.otherApprovals,
    logger,
    clock,
  });
  const isFirstRun = settings.state() === "missing";
  const database = openDatabase({ path: paths.database, logger });
  const ledger = createLedger(database.db, () => database.syncSoon());

  const agentIds = () => {
    const saved = config.effective().config as unknown;
    return [...new Set([defaultAgentId(saved), ...agentScopes(saved).keys()])];
  };
  const waitForOperator = () => settings.settings().gateway.waitForOperator;
  const presence = createPresence({ screenLock: deps.screenLock, waitForOperator });
  const asked = createApprovalParts({ clock, logger, presence, ledger, agentIds });
  const { approvals, pauses, entryRecords } = asked;
  const broadMode = createBroadMode({
    config,
    approvals: approvalsFile,
    settings,
    clock,
    hardening: () => hardening,
    agentIds,
  });
  const sessions = createExecSessions({
    clock,
    logger,
    ptyHost: createNodePtyHost(),
    ownership: createProcessOwnership(database.db),
    limits: () => ({ ...limitsFromEnv(deps.baseEnv), ...cleanupLimit(config.effective().config) }),
    onExitNotice: (notice) => recorder.record("process.ended", notice.sessionKey, { ...notice }),
  });
  const lookup = createFsExecutableLookup();
  const findings = createRuleFindings({ approvalsFile, lookup, homeDir: deps.homeDir, clock });
  const grants = createGrants({ settings, clock, logger, ledger, findings: findings.ofGrant });
  const places = createPlaces({
    config,
    hardening: () => hardening,
    baseEnv: deps.baseEnv,
    loginPath: probeLoginPath(deps.baseEnv, loginProbeTimeoutMs, logger),
    homeDir: deps.homeDir,
    stateDir: deps.stateDir,
    logger,
  });
  const hosts = createExecHosts({
    config,
    places,
    lookup,
    baseEnv: deps.baseEnv,
    homeDir: deps.homeDir,
    stateDir: deps.stateDir,
    logger,
  });
  const exec = createExecService({
    config,
    approvalsFile,
    approvals,
    grants,
    ledger,
    sessions,
    lookup,
    broadMode,
    places,
    hosts,
    hardening: () => hardening,
    homeDir: deps.homeDir,
    isSandboxed: (agentId, sessionKey) => policy.isSandboxed(agentId, sessionKey),
    requestLifetimeMs: () => settings.settings().approvals.requestLifetimeMs,
    countEntryUse: entryRecords.countUse,
    clock,
    logger,
  });

  const toolParts = await createTools({
    runtime: deps,
    paths,
    hub,
    settings,
    exec,
    sessions,
    approvals,
    places,
    broadMode,
    config,
    clock,
    logger,
    homeDir: deps.homeDir,
    stateDir: deps.stateDir,
    hardening: () => hardening,
    agentIds,
    isSandboxed: (agentId, sessionKey) => policy.isSandboxed(agentId, sessionKey),
    callerById: (callerId) => callerById(callerId),
    toolNames: (caller) => policy.names(caller),
    calls: () => calls,
    assertions: () => assertions,
    status: () => status.current(),
    record: (kind, by, data) => recorder.record(kind, by, data),
  });
  const { registry } = toolParts;
  const { workspaceOf } = places;
  const skills = createSkills({ ...deps, config: () => config.effective().config, workspaceOf });
  const policy = createPolicyService({
    config,
    registry,
    hardening: () => hardening,
    preset: () => settings.settings().hardening.preset,
    savedAssertions: () => settings.settings().assertions.text,
    hasSearchProvider: (value) => toolParts.searchProviderOf(value) !== null,
    mediaFacts: toolParts.mediaFacts,
    skillsFor: skills.needs,
  });
  const calls = createCalls({
    clock,
    logger,
    decide: pauses.guard((caller, tool) => policy.decide(caller, tool)),
    loopGuard: createLoopGuard({ settingsFor: policy.loopDetection, logger }),
  });
  const recorder = createLedgerRecorder({ ledger, clock, calls, approvals });
  const clients = createClients({
    settings,
    clock,
    logger,
    defaultAgentId: () => defaultAgentId(config.effective().config),
    agentIds,
    effectiveTools: (caller) => policy.names(caller),
  });
  const callerById = (callerId: string): Caller | undefined =>
    callerId.startsWith("mcp:") ? (clients.callerOf(callerId.slice("mcp:".length)) ?? undefined) : undefined;

  const policyListeners = new Set<() => void>();
  const policyChanged = () => [...policyListeners].forEach((listener) => void listener());
  const tools = createToolSurface({
    clock,
    calls,
    approvals,
    list: (caller) => policy.list(caller),
    promptOrder: (listings) => policy.inPromptOrder(listings),
    onPolicyChanged: (listener) => {
      policyListeners.add(listener);
      return () => policyListeners.delete(listener);
    },
  });

  const processes = createProcessDesk({ sessions, hub, logger, onChanged: () => status.announce() });
  const promptCheck = createPromptCheck({
    presence,
    record: recorder.record,
    onChecked: () => status.announce(),
    logger,
  });
  const status = createStatusDesk({
    deps,
    hub,
    config,
    settings,
    approvalsFile,
    approvals,
    processes,
    runningBrowsers: toolParts.browser.runningCount,
    clients,
    ledger,
    broadMode,
    promptCheck,
    storageProblems: database.problems,
    isFirstRun,
  });
  const tryout = createTryoutDesk({ hub, logger, approvals, sessions });
  const gatewayPort = () => portOf(deps.baseEnv, config.effective().config);
  const announceClients = () =>
    hub.publish("clients.changed", { clients: clients.list(), mcpUrl: mcpUrlOf(status.current().gateway) });

  const offs = [
    publishApprovals({ ...asked, grants, approvalsFile, hub }),
    calls.events.on("changed", (call) => hub.publish("calls.changed", call)),
    config.events.on("changed", () => {
      const announceConfig = () => {
        const view = config.view();
        hub.publish("config.changed", { hash: view.hash, valid: view.valid });
      };
      announceConfig();
      // Whoever hands the token on reads it again: a reference takes a moment to resolve.
      void operatorToken.refresh().then((changed) => {
        if (changed) announceConfig();
      });
      policyChanged();
      announceClients();
    }),
    settings.events.on("changed", () => {
      applyHardening();
      hub.publish("ui.settingsChanged", settings.settings().ui);
      policyChanged();
    }),
    // A client that may no longer connect has no session left.
    clients.onRevoked((clientId) => {
      const isEnded = (sessionKey: string) => sessionKey.endsWith(`:mcp:${clientId}`);
      Promise.all([grants.endSessions(isEnded), toolParts.browser.endSessions(isEnded)]).catch(
        (error: unknown) => logger.warn("session.notCleared", { clientId, error }),
      );
    }),
    toolParts.onPresenceChanged(() => {
      policyChanged();
      announceClients();
    }),
    clients.events.on("changed", announceClients),
    clients.events.on("changed", policyChanged),
  ];
  // Behind the listeners above: it checks with the hardening that counts after the change.
  const assertions = createAssertionDesk({
    settings,
    config,
    hardening: () => hardening,
    check: policy.checkAssertions,
    basis: policy.checkBasis,
    publish: (report) => hub.publish("policy.assertionsChecked", report),
    record: (kind, by, data) => recorder.record(kind, by, data),
    logger,
  });

  const persons = { config, clients, agentIds };
  const handlers: Handlers<SallyportContract> = {
    ...createAppHandlers({ status, settings, broadMode, clock, tryout, recorder }),
    ...createApprovalHandlers({ approvals, grants, presence, ledger, pauses }),
    ...createCallHandlers({
      ...persons,
      calls,
      registry,
      ledger,
      presentFor: policy.presentFor,
      onVerified: () => status.setVerified(clock.nowMs()),
    }),
    ...createClientHandlers({ clients, recorder, mcpUrl: () => mcpUrlOf(status.current().gateway) }),
    ...createConfigHandlers({
      config,
      assertions,
      approvalsFile,
      findings,
      entryRecords,
      record: (kind, by, data) => recorder.record(kind, by, data),
    }),
    ...toolParts.handlers,
    ...createPolicyHandlers({
      policy,
      assertions,
      config,
      approvalsFile,
      clients,
      exec,
      broadMode,
      lookup,
      clock,
      hardening: () => hardening,
      agentIds,
      seenContexts: createSeenContexts({ ledger, clients, contextOf: policy.contextOf }),
    }),
    ...createSkillHandlers({ ...persons, skills, policy, calls }),
    ...processes.handlers,
  };
  await Promise.all([processes.refreshSurvivors(), toolParts.reportRestart()]);

  let disposing: Promise<void> | null = null;
  const disposeAll = async () => {
    tryout.dispose();
    approvals.dispose();
    calls.dispose();
    await sessions.dispose();
    await exec.dispose();
    await toolParts.dispose();
    assertions.dispose();
    for (const off of offs) off();
    await grants.dispose();
    processes.dispose();
    promptCheck.dispose();
    status.dispose();
    recorder.dispose();
    await Promise.all([config.dispose(), settings.dispose(), approvalsFile.dispose()]);
    database.close();
  };

  return {
    handlers,
    events: hub,
    tools,
    clients,
    presence: {
      attend: presence.attend,
      leave(connectionId) {
        presence.leave(connectionId);
        toolParts.browser.leave(connectionId);
      },
    },
    attachTryout: (runner) => tryout.attach(runner),
    gatewaySettings: () => {
      const saved = config.effective().config;
      const token = operatorToken.current();
      return {
        port: gatewayPort(),
        holdMs: settings.settings().approvals.holdMs,
        operatorToken: token,
        http: httpSettingsOf(saved, deps.baseEnv, token),
      };
    },
    decideHttp: (request) => policy.decideHttp(request),
    reportGateway: (state) => {
      status.setGateway(state);
      announceClients();
    },
    reportLag: (p99Ms) => status.setLag(p99Ms),
    dispose() {
      disposing ??= disposeAll();
      return disposing;
    },
  };
}
