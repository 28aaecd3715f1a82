// The script of a history in a site, which is drawn already.

import { NO_CHARTS, openPage } from "../page/page.js";
import { watchKeys } from "../page/shortcuts.js";

openPage(() => watchKeys(null, { open() {} }, NO_CHARTS));
