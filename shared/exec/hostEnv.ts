/** Which environment a command on the host gets, and which overrides are refused (spec/exec.md 3.8). */
import type { Hardening } from "../hardening/rules.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((one) => one !== ""));

/** Never reach a child, from the base or as override. */
const blockedEverywhere =
  words(`NODE_OPTIONS NODE_PATH PYTHONHOME PYTHONPATH PERL5LIB PERL5OPT RUBYLIB RUBYOPT
  BASH_ENV ENV BROWSER GIT_EDITOR GIT_EXTERNAL_DIFF GIT_EXEC_PATH GIT_SEQUENCE_EDITOR GIT_TEMPLATE_DIR
  GIT_SSL_NO_VERIFY GIT_SSL_CAINFO GIT_SSL_CAPATH CC CXX CARGO_BUILD_RUSTC CMAKE_C_COMPILER CMAKE_CXX_COMPILER SHELL
  SHELLOPTS PS4 GCONV_PATH IFS SSLKEYLOGFILE JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS PYTHONBREAKPOINT
  DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS GLIBC_TUNABLES MAVEN_OPTS SBT_OPTS GRADLE_OPTS ANT_OPTS`);
const blockedPrefixes = ["DYLD_", "LD_", "BASH_FUNC_"];

/** Stay in the base, but a call may not set them. */
const blockedOverrides =
  words(`PATH HOME GRADLE_USER_HOME ZDOTDIR GIT_SSH_COMMAND GIT_SSH GIT_PROXY_COMMAND GIT_ASKPASS
  SSH_ASKPASS LESSOPEN LESSCLOSE PAGER MANPAGER GIT_PAGER EDITOR VISUAL FCEDIT SUDO_EDITOR PROMPT_COMMAND HISTFILE
  PERL5DB PERL5DBCMD OPENSSL_CONF OPENSSL_ENGINES PYTHONSTARTUP WGETRC CURL_HOME CLASSPATH CGO_CFLAGS CGO_LDFLAGS GOFLAGS
  CORECLR_PROFILER_PATH PHPRC PHP_INI_SCAN_DIR DENO_DIR BUN_CONFIG_REGISTRY HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
  NODE_TLS_REJECT_UNAUTHORIZED NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
  DOCKER_HOST DOCKER_TLS_VERIFY DOCKER_CERT_PATH DOCKER_CONTEXT PIP_INDEX_URL PIP_PYPI_URL PIP_EXTRA_INDEX_URL
  PIP_CONFIG_FILE PIP_FIND_LINKS PIP_TRUSTED_HOST UV_INDEX UV_INDEX_URL UV_EXTRA_INDEX_URL UV_DEFAULT_INDEX LIBRARY_PATH
  CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH OBJC_INCLUDE_PATH GOPROXY GONOSUMCHECK GONOSUMDB GONOPROXY GOPRIVATE GOENV
  GOPATH PYTHONUSERBASE VIRTUAL_ENV LUA_PATH LUA_CPATH GEM_HOME GEM_PATH BUNDLE_GEMFILE COMPOSER_HOME XDG_CONFIG_HOME
  AWS_CONFIG_FILE`);
const overridePrefixes = ["GIT_CONFIG_", "NPM_CONFIG_"];

/** Refused as override by `exec.environmentNames`: variables that make common programs run or load something. */
const hardenedOverrides =
  words(`XDG_DATA_HOME XDG_CONFIG_DIRS XDG_DATA_DIRS XDG_RUNTIME_DIR AWK_LIBPATH AWKPATH TERMINFO TERMINFO_DIRS
  TERMCAP LOCPATH NLSPATH HOSTALIASES RESOLV_HOST_CONF TAR_OPTIONS GZIP ZIPOPT RSYNC_RSH CVS_RSH SVN_SSH GIT_DIR GIT_WORK_TREE
  GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CEILING_DIRECTORIES GIT_ATTR_SOURCE GIT_ALLOW_PROTOCOL GIT_DEFAULT_HASH
  MAKEFLAGS MAKEFILES MFLAGS GNUMAKEFLAGS RUSTC RUSTC_WRAPPER RUSTFLAGS CARGO_HOME RUSTUP_HOME CFLAGS CXXFLAGS LDFLAGS AR LD AS
  NODE_REPL_EXTERNAL_MODULE NODE_V8_COVERAGE NODE_PENDING_DEPRECATION ELECTRON_RUN_AS_NODE PYTHONINSPECT PYTHONEXECUTABLE
  PYTHONPLATLIBDIR PYTHONWARNINGS PYTHONPYCACHEPREFIX PERL_HASH_SEED_DEBUG PERLIO RUBY_DEBUG_OPEN R_PROFILE R_PROFILE_USER R_ENVIRON
  R_ENVIRON_USER JULIA_LOAD_PATH LUA_INIT GUILE_LOAD_PATH ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS PHP_INI LESS LESSKEY LESSEDIT MANOPT MANROFFOPT
  GREP_OPTIONS BAT_PAGER BAT_CONFIG_PATH RIPGREP_CONFIG_PATH FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS VIMINIT EXINIT NVIM_APPNAME
  INPUTRC SYSTEMD_PAGER SYSTEMD_EDITOR KUBECONFIG KUBE_EDITOR AWS_SHARED_CREDENTIALS_FILE AWS_CA_BUNDLE GOOGLE_APPLICATION_CREDENTIALS
  SSH_AUTH_SOCK GNUPGHOME GPG_AGENT_INFO DBUS_SESSION_BUS_ADDRESS TMPDIR TEMP TMP OPENCLAW_HOME OPENCLAW_STATE_DIR OPENCLAW_CONFIG_PATH
  OPENCLAW_GATEWAY_TOKEN OPENCLAW_GATEWAY_PASSWORD BASHOPTS CDPATH GLOBIGNORE HISTCONTROL PROMPT_DIRTRIM TIMEFORMAT TMOUT PS1 PS2 PS0`);
/** As `hardenedOverrides`: what starts a helper, names a config that can, or writes a file that the call chooses. */
const helperOverrides =
  words(`GIT_COMMON_DIR GIT_INDEX_FILE GIT_SHALLOW_FILE GIT_GRAFT_FILE GIT_CONFIG GIT_REDIRECT_STDIN GIT_REDIRECT_STDOUT GIT_REDIRECT_STDERR
  GIT_NAMESPACE GIT_REPLACE_REF_BASE GIT_SSH_VARIANT GIT_DISCOVERY_ACROSS_FILESYSTEM GIT_PROTOCOL_FROM_USER GIT_QUARANTINE_PATH
  HGRCPATH HGEDITOR HGMERGE SVN_EDITOR SVN_MERGE CVSEDITOR SSH_SK_HELPER SSH_SK_PROVIDER SSH_PKCS11_HELPER SSH_ASKPASS_REQUIRE
  RSYNC_CONNECT_PROG RSYNC_PROXY SYSTEM_WGETRC NETRC FTP_PROXY OPENSSL_MODULES GIO_EXTRA_MODULES GIO_MODULE_DIR GDK_PIXBUF_MODULE_FILE
  GDK_PIXBUF_MODULEDIR GTK_PATH GTK_EXE_PREFIX GST_PLUGIN_PATH GST_PLUGIN_SCANNER MAGICK_CONFIGURE_PATH MAGICK_CODER_MODULE_PATH
  MAGICK_CODER_FILTER_PATH SASL_PATH KRB5_CONFIG GS_LIB GS_OPTIONS TEXMFCNF FONTCONFIG_FILE
  NODE_COMPILE_CACHE NODE_REDIRECT_WARNINGS NODE_REPL_HISTORY PYTHONHISTFILE PYTHON_HISTORY PERL_MM_OPT PERL_MB_OPT FPATH BASH_LOADABLES_PATH
  BASH_XTRACEFD GOCACHEPROG GOROOT GOTOOLDIR GOTOOLCHAIN GOBIN GOWORK GOINSECURE GOSUMDB PKG_CONFIG PKG_CONFIG_PATH CPP FC NM RM STRIP RANLIB
  GCC_EXEC_PREFIX COMPILER_PATH RUSTDOC RUSTC_WORKSPACE_WRAPPER RUSTDOCFLAGS RUSTUP_TOOLCHAIN MAVEN_ARGS YARN_RC_FILENAME YARN_YARN_PATH
  GH_PAGER GH_EDITOR GH_BROWSER AWS_PAGER PSQL_PAGER PSQL_EDITOR PSQLRC PGSERVICEFILE DELTA_PAGER TF_CLI_CONFIG_FILE SCREENRC MANPATH GAWK_PERSIST_FILE`);
const hardenedPrefixes = [
  "GIT_TRACE",
  "CMAKE_",
  "CCACHE_",
  "CGO_",
  "ANSIBLE_",
  "TF_CLI_ARGS",
  "COREPACK_",
  "CORECLR_",
  "COR_PROFILER",
  "COR_ENABLE_PROFILING",
  "LUA_INIT_",
  "LUA_PATH_",
  "LUA_CPATH_",
  "SALLYPORT_",
  "CARGO_",
  "CLOUDSDK_",
  "GTK_MODULES",
  "QT_PLUGIN",
  "MALLOC_",
];

/** Whoever has them decides approvals: no command gets them, whatever it is allowed to print. */
const ownSecrets = words("OPENCLAW_GATEWAY_TOKEN OPENCLAW_GATEWAY_PASSWORD");

export interface HostEnvResult {
  ok: boolean;
  /** What the child gets; when not ok it is what would be used without the bad overrides. */
  env: Record<string, string>;
  /** Refused names, upper-cased, sorted. */
  blocked: string[];
  /** Names with bad syntax, sorted. */
  invalid: string[];
  /** Why the call is rejected. */
  message?: string;
}

function isBlocked(upper: string, set: ReadonlySet<string>, prefixes: readonly string[]): boolean {
  return set.has(upper) || prefixes.some((prefix) => upper.startsWith(prefix));
}

/** Families of which every member is read by the runtime or the program that a name stands for. */
const programPrefixes = ["NODE_", "PYTHON", "PERL", "RUBY", "GIT_"];

/**
 * Every list of `buildHostEnv`, whatever rule it belongs to, and the families that interpreters read.
 * @returns whether a variable of this name can change which code a program loads or starts, or whom it talks to
 */
export function changesWhatRuns(name: string): boolean {
  const upper = name.toUpperCase();
  return (
    isBlocked(upper, blockedEverywhere, blockedPrefixes) ||
    isBlocked(upper, blockedOverrides, overridePrefixes) ||
    isBlocked(upper, hardenedOverrides, hardenedPrefixes) ||
    isBlocked(upper, helperOverrides, programPrefixes)
  );
}

/**
 * Any bad override rejects the whole call; nothing is dropped silently.
 * @param base the process environment
 */
export function buildHostEnv(
  base: Readonly<Record<string, string | undefined>>,
  overrides: Readonly<Record<string, string>>,
  hardening: Hardening,
): HostEnvResult {
  const env = new Map<string, string>();
  for (const [key, value] of Object.entries(base)) {
    const upper = key.toUpperCase();
    if (value === undefined || isBlocked(upper, blockedEverywhere, blockedPrefixes)) continue;
    if (hardening.has("exec.environmentNames") && ownSecrets.has(upper)) continue;
    env.set(key, value);
  }
  const blocked = new Set<string>();
  const invalid = new Set<string>();
  for (const [key, value] of Object.entries(overrides)) {
    const upper = key.toUpperCase();
    if (!/^[A-Za-z_][A-Za-z0-9_()]*$/.test(key)) invalid.add(key);
    else if (
      isBlocked(upper, blockedEverywhere, blockedPrefixes) ||
      isBlocked(upper, blockedOverrides, overridePrefixes) ||
      (hardening.has("exec.environmentNames") &&
        (helperOverrides.has(upper) || isBlocked(upper, hardenedOverrides, hardenedPrefixes)))
    )
      blocked.add(upper);
    else if (hardening.has("exec.environmentNames") && value.includes("\0")) invalid.add(key);
    else env.set(key, value);
  }
  env.set("OPENCLAW_CLI", "1");
  const result = { env: Object.fromEntries(env), blocked: [...blocked].sort(), invalid: [...invalid].sort() };
  if (blocked.size === 0 && invalid.size === 0) return { ok: true, ...result };
  return { ok: false, ...result, message: violationMessage(result.blocked, result.invalid) };
}

function violationMessage(blocked: readonly string[], invalid: readonly string[]): string {
  const parts: string[] = [];
  if (blocked.includes("PATH"))
    parts.push("a call may not set PATH; configure tools.exec.pathPrepend instead");
  const others = blocked.filter((name) => name !== "PATH");
  if (others.length > 0) parts.push(`these variables may not be set by a call: ${others.join(", ")}`);
  if (invalid.length > 0)
    parts.push(`these are no names of variables: ${invalid.map((name) => JSON.stringify(name)).join(", ")}`);
  return `Security Violation: ${parts.join("; ")}. Nothing was run.`;
}

const nodeWrapperNames = words("TERM LANG LC_ALL LC_CTYPE LC_MESSAGES COLORTERM NO_COLOR FORCE_COLOR");

/** Overrides that survive on a node host behind a shell wrapper. */
export function filterNodeWrapperOverrides(
  overrides: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(overrides).filter(([key]) => nodeWrapperNames.has(key.toUpperCase())),
  );
}
