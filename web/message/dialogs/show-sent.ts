import { navigate } from "../../navigation/location.tsx";
import { routePath } from "../../navigation/routes.ts";
import { showToast } from "../../shared/toast.tsx";
import { pageStrings } from "../../page-strings.ts";
import type { Message } from "../../wire.ts";

/** Shows a toast that a message has been sent, with an action that opens it. */
export function showSent({ id, server }: Message, text: string = pageStrings.reply.sent): void {
  const hide = showToast({
    text,
    action: {
      label: pageStrings.reply.show,
      run: () => {
        hide();
        navigate(`${routePath({ kind: "mail", server, message: id, tab: null })}?dir=sent`);
      },
    },
  });
}
