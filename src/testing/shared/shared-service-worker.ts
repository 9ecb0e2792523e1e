/** Process of a shared service; its argument is JSON. Exits with 0 at once when another service has the folder. */
import type { SharedStart } from "./attach.ts";
import type { SharedFolder } from "./shared-folder.ts";
import { runSharedService } from "./shared-service.ts";

const { folder, start } = JSON.parse(process.argv[2] ?? "") as { folder: SharedFolder; start: SharedStart };
await runSharedService(folder, start);
process.exit();
