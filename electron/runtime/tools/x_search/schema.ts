/** Input of the x_search tool. */

import { z } from "zod";
import { webArgs } from "../../../../shared/web/index.ts";

const handles = z.array(z.string().trim().min(1).max(100)).max(100);
const date = z.string().refine(isCalendarDate, "Write a real date as YYYY-MM-DD.");

export const xSearchInput = z.preprocess(
  webArgs([
    "query",
    "allowed_x_handles",
    "excluded_x_handles",
    "from_date",
    "to_date",
    "enable_image_understanding",
    "enable_video_understanding",
  ]),
  z
    .object({
      query: z.string().max(2000).describe("What to look for in posts on X"),
      allowed_x_handles: handles.optional().describe("Only posts of these accounts"),
      excluded_x_handles: handles.optional().describe("No posts of these accounts"),
      from_date: date.optional().describe("Only posts on or after YYYY-MM-DD"),
      to_date: date.optional().describe("Only posts on or before YYYY-MM-DD"),
      enable_image_understanding: z.boolean().optional().describe("Look at pictures in posts"),
      enable_video_understanding: z.boolean().optional().describe("Look at videos in posts"),
    })
    .refine(
      ({ from_date, to_date }) => from_date === undefined || to_date === undefined || from_date <= to_date,
      { path: ["from_date"], message: "from_date is later than to_date. Swap them." },
    ),
);

function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const parsed = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text);
}
