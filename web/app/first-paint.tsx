import type { ReactElement } from "react";
import stamp from "../shared/stamp.svg";
import { strings } from "../strings.ts";

/** Page until the session is known; the same as the one in `index.html`, which is shown until the code is loaded. */
export function FirstPaint(): ReactElement {
  return (
    <div data-first-paint aria-busy="true">
      <header>
        <img src={stamp} alt="" />
        <b>{strings.product}</b>
      </header>
      <p>{strings.loading}</p>
    </div>
  );
}
