// SPDX-License-Identifier: Apache-2.0
// The page of a kernel that reads columns of a tile in shared memory: its banks, behind view_drawn.js.
"use strict";
{
const wrong = [], holds = (what, is) => { if (!is) wrong.push(what); };
try {
  drawnAsCounted(holds);
  const shared = data.requests.filter(r => data.sites[r[0]].shared);
  holds("lanes want different words of one bank", shared.length > 0 && shared.every(r => r[4] > r[5]));
  holds("what an access costs is in sight", $("sites").scrollWidth <= $("sites").clientWidth);
} catch (error) { wrong.push(String(error.stack)); }
document.documentElement.dataset.test = wrong.length ? wrong.join("; ") : "fine";
}
