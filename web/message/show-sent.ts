import { navigate } from "../navigation/location.tsx";
import { routePath } from "../navigation/place.ts";
import { showToast } from "../shared/toast.tsx";
import { strings } from "../strings.ts";
import type { Message } from "../wire.ts";

/** Says that a message has been sent, with a way to it. */
export function showSent({ id, server }: Message, text: string = strings.answer.sent): void {
  const hide = showToast({
    text,
    action: {
      label: strings.answer.show,
      run: () => {
        hide();
        navigate(`${routePath({ kind: "mail", server, message: id, tab: null })}?dir=sent`);
      },
    },
  });
}
