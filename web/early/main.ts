/** Script that runs before those of the page. */
import { requestEarly } from "./early-requests.ts";

requestEarly();
