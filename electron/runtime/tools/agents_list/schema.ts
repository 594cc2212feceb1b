/** Input of agents_list: there is nothing to ask. */

import { z } from "zod";

export const agentsListInput = z.object({});
