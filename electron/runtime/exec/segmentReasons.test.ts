import { describe, expect, it } from "vitest";
import { allHardening } from "../../../shared/exec/hardening.ts";
