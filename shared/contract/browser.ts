/** What the panel and operators do with the managed browsers, and what they are told of them. */

import { z } from "zod";
import { hardeningPresets } from "../hardening/rules.ts";
import { defineContract } from "../rpc/contract.ts";
import {
  browserActResult,
  browserBlockedRequest,
  browserFilmEntry,
  browserFilmPicture,
  browserGuardSettings,
  browserInput,
  browserOverview,
  browserProfileView,
  browserRecords,
  browserScreenshot,
  browserSnapshot,
  browserSnapshotFormat,
  browserTab,
} from "./browserViews.ts";

/** Absent: the default profile. Never another one than named. */
const profile = z.string().min(1).max(64).optional();
/** Absent: the tab that was used last. */
const targetId = z.string().min(1).max(64).optional();
const onTab = z.object({ profile, targetId });
const named = z.object({ name: z.string().min(1).max(64) });

const guardVerdict = z.discriminatedUnion("verdict", [
  z.object({ verdict: z.literal("allowed") }),
  z.object({ verdict: z.literal("blocked"), kind: z.string(), message: z.string(), url: z.string() }),
]);

export const browserContract = defineContract({
  methods: {
    "browser.profiles": { scope: "operator.read", input: z.object({}), output: browserOverview },
    /** Answers when it runs. Joins a start under way. */
    "browser.start": {
      scope: "operator.write",
      input: z.object({ profile }),
      output: browserProfileView,
    },
    "browser.stop": {
      scope: "operator.write",
      input: z.object({ profile }),
      output: z.object({ stopped: z.boolean(), profile: browserProfileView }),
    },
    /** Writes the config, comments stay. Name: lower case letters, digits, hyphens. */
    "browser.createProfile": {
      scope: "operator.admin",
      input: z.object({
        name: z.string().min(1).max(64),
        color: z.string().max(20).optional(),
        /** Attach to a browser there instead of starting one. */
        cdpUrl: z.string().max(2000).optional(),
        driver: z.enum(["openclaw", "existing-session"]).optional(),
        /** With driver `existing-session` only. */
        userDataDir: z.string().max(4096).optional(),
      }),
      output: browserProfileView,
    },
    /** Stops it, moves its data to the trash, removes it from the config. Ask the person first. */
    "browser.deleteProfile": {
      scope: "operator.admin",
      input: named,
      output: z.object({ name: z.string(), movedTo: z.string().nullable() }),
    },
    /** Stops it and moves its data (cookies, logins, history) to the trash. Ask the person first. */
    "browser.resetProfile": {
      scope: "operator.admin",
      input: named,
      output: z.object({ name: z.string(), movedTo: z.string().nullable() }),
    },
    /** Takes the browser over, or gives it back to the agents. */
    "browser.pause": {
      scope: "operator.write",
      input: z.object({ profile, paused: z.boolean() }),
      output: browserProfileView,
    },

    /** Of one profile, or of all running ones. Never starts a browser. */
    "browser.tabs": {
      scope: "operator.read",
      input: z.object({ profile }),
      output: z.object({ tabs: z.array(browserTab) }),
    },
    /** Starts the browser when it does not run. */
    "browser.open": {
      scope: "operator.write",
      input: z.object({ profile, url: z.string().min(1).max(8192) }),
      output: browserTab,
    },
    "browser.focus": {
      scope: "operator.write",
      input: z.object({ profile, targetId: z.string().min(1).max(64) }),
      output: browserTab,
    },
    "browser.close": {
      scope: "operator.write",
      input: z.object({ profile, targetId: z.string().min(1).max(64) }),
      output: z.object({ closed: z.boolean() }),
    },
    /** Exactly one of `url` and `history`. */
    "browser.navigate": {
      scope: "operator.write",
      input: onTab.extend({
        url: z.string().min(1).max(8192).optional(),
        history: z.enum(["back", "forward", "reload"]).optional(),
      }),
      output: browserTab,
    },

    "browser.snapshot": {
      scope: "operator.read",
      input: onTab.extend({
        format: browserSnapshotFormat.default("dense"),
        interactive: z.boolean().optional(),
        compact: z.boolean().optional(),
        maxDepth: z.number().int().min(0).max(100).optional(),
        selector: z.string().max(2000).optional(),
        frame: z.string().max(2000).optional(),
        refs: z.enum(["role", "aria"]).optional(),
        maxChars: z.number().int().min(1).max(1_000_000).optional(),
        limit: z.number().int().min(1).max(2000).optional(),
        after: z.string().max(200).optional(),
        urls: z.boolean().optional(),
        incremental: z.boolean().optional(),
      }),
      output: browserSnapshot,
    },
    "browser.screenshot": {
      scope: "operator.read",
      input: onTab.extend({
        fullPage: z.boolean().optional(),
        ref: z.string().max(40).optional(),
        type: z.enum(["png", "jpeg"]).default("jpeg"),
        /** Longest side in pixels. */
        maxSide: z.number().int().min(100).max(2000).default(1400),
        withBoxes: z.boolean().default(false),
      }),
      output: browserScreenshot,
    },
    /** By hand: one act as the tool takes it, for example `{kind: "click", ref: "e4"}`. */
    "browser.act": {
      scope: "operator.write",
      input: onTab.extend({ request: z.record(z.string(), z.unknown()) }),
      output: browserActResult,
    },
    /** Mouse and keys by hand on the live view. */
    "browser.input": {
      scope: "operator.write",
      input: onTab.extend({ input: browserInput }),
      output: z.object({}),
    },
    "browser.records": {
      scope: "operator.read",
      input: onTab.extend({ limit: z.number().int().min(1).max(500).default(200) }),
      output: browserRecords,
    },

    /** Newest last, of one profile or of all. */
    "browser.blocked": {
      scope: "operator.read",
      input: z.object({ profile }),
      output: z.object({ blocked: z.array(browserBlockedRequest) }),
    },
    /** Newest last. */
    "browser.film": {
      scope: "operator.read",
      input: z.object({
        profile,
        sessionKey: z.string().max(300).optional(),
        limit: z.number().int().min(1).max(500).default(100),
      }),
      output: z.object({ entries: z.array(browserFilmEntry) }),
    },
    "browser.filmPictures": {
      scope: "operator.read",
      input: z.object({ ids: z.array(z.string()).min(1).max(24) }),
      output: z.object({ pictures: z.array(browserFilmPicture) }),
    },

    /**
     * Frames of one page as `browser.frame` events with this `castId`, until stopped or until the connection closes.
     * A second start by the same connection for the same page replaces the first.
     */
    "browser.screencast.start": {
      scope: "operator.read",
      input: onTab.extend({
        maxWidth: z.number().int().min(160).max(1920).default(1280),
        maxHeight: z.number().int().min(120).max(1200).default(900),
        quality: z.number().int().min(20).max(90).default(60),
        /** Frames per second at most; a page that does not change sends none. */
        maxFps: z.number().min(0.5).max(15).default(6),
      }),
      output: z.object({ castId: z.string(), profile: z.string(), targetId: z.string() }),
    },
    "browser.screencast.stop": {
      scope: "operator.read",
      input: z.object({ castId: z.string() }),
      output: z.object({ stopped: z.boolean() }),
    },

    /** What the guard says to an address or a redirect chain. Nothing is loaded. */
    "browser.guard.explain": {
      scope: "operator.read",
      input: z.object({
        check: z
          .enum(["before-navigation", "after-navigation", "redirect-chain"])
          .default("before-navigation"),
        url: z.string().max(8192).optional(),
        /** In the order in which they were requested. */
        chain: z.array(z.string().max(8192)).max(50).optional(),
        /** As under `browser.ssrfPolicy`; null = not configured; absent: the config's. */
        ssrfPolicy: z.record(z.string(), z.unknown()).nullable().optional(),
        /** Proxy variables as if set; absent: this process's own. */
        env: z.record(z.string(), z.string()).optional(),
        /** Answers of the resolver by name, unlisted names fail; absent: the system's resolver. */
        dns: z.record(z.string(), z.array(z.string())).optional(),
        /** Absent: the hardening that counts now. */
        preset: z.enum(hardeningPresets).optional(),
      }),
      output: guardVerdict,
    },
    /** One click: private addresses refused, or allowed again. Edits the config in place; comments stay. */
    "browser.setStrict": {
      scope: "operator.admin",
      input: z.object({ strict: z.boolean() }),
      output: browserGuardSettings,
    },
  },
  events: {
    /** Profiles, their states and all tabs of running ones; at most five times a second. */
    "browser.changed": {
      scope: "operator.read",
      payload: z.object({ overview: browserOverview, tabs: z.array(browserTab) }),
    },
    /** A film entry began, ended or got its pictures: replace the one with this id. */
    "browser.activity": { scope: "operator.read", payload: z.object({ entry: browserFilmEntry }) },
    "browser.blockedRequest": { scope: "operator.read", payload: browserBlockedRequest },
    "browser.frame": {
      scope: "operator.read",
      payload: z.object({
        castId: z.string(),
        profile: z.string(),
        targetId: z.string(),
        /** Counts from 1; a receiver that fell behind shows the newest only. */
        seq: z.number().int(),
        /** JPEG. */
        base64: z.string(),
        /** CSS pixels of the viewport that the picture shows. */
        viewportWidth: z.number(),
        viewportHeight: z.number(),
        atMs: z.number(),
      }),
    },
    /** The page is gone, or its browser: no more frames. */
    "browser.screencastEnded": {
      scope: "operator.read",
      payload: z.object({ castId: z.string(), reason: z.string() }),
    },
  },
});
