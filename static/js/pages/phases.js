// The script of a page of several phases.

import { openPhases } from "../page/phases.js";

openPhases();
