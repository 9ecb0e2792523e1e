import { lazy, Suspense, type ReactElement } from "react";
import type { MessageTab } from "../navigation/place.ts";
import { strings } from "../strings.ts";
import type { Message, Session } from "../wire.ts";
import { ConversationView } from "./conversation-view.tsx";
import { AttachmentsView } from "./attachments-view.tsx";
import { DeliveryView } from "./delivery-view.tsx";
import { HeadersView } from "./headers-view.tsx";
import { HtmlView } from "./html-view.tsx";
import { LinksView } from "./links-view.tsx";
import { StructureView } from "./structure-view.tsx";

const SourceView = lazy(async () => ({ default: (await import("./source-view.tsx")).SourceView }));
const ChecksView = lazy(async () => ({ default: (await import("./checks-view.tsx")).ChecksView }));
const PreviewsView = lazy(async () => ({ default: (await import("./previews-view.tsx")).PreviewsView }));
const TestView = lazy(async () => ({ default: (await import("./test-view.tsx")).TestView }));

interface ViewProps {
  readonly message: Message;
  readonly session: Session;
  readonly hrefOf: (id: string, tab?: MessageTab) => string;
}

/** The content of the selected tab. */
export function TabPanel(props: ViewProps & { readonly id: string; readonly tab: MessageTab }): ReactElement {
  const { id, tab, ...view } = props;
  const View = views[tab];
  const className = tab === "html" ? "message-body" : "message-body padded";
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by the keyboard
    <div id={id} role="tabpanel" tabIndex={0} className={className} aria-label={strings.message.tabs[tab]}>
      <Suspense fallback={<p className="faint">{strings.loading}</p>}>
        <View {...view} />
      </Suspense>
    </div>
  );
}

const views: Readonly<Record<MessageTab, (props: ViewProps) => ReactElement>> = {
  html: ({ message }) => <HtmlView message={message} />,
  text: ({ message }) => <p className="plain">{message.text.body ?? ""}</p>,
  conversation: ({ message, hrefOf }) => <ConversationView message={message} hrefOf={hrefOf} />,
  source: ({ message }) => <SourceView id={message.id} />,
  headers: ({ message }) => <HeadersView message={message} />,
  structure: ({ message }) => <StructureView id={message.id} />,
  attachments: ({ message }) => <AttachmentsView message={message} />,
  links: ({ message }) => <LinksView message={message} />,
  delivery: ({ message }) => <DeliveryView message={message} />,
  checks: ({ message }) => <ChecksView id={message.id} />,
  previews: ({ message }) => <PreviewsView id={message.id} />,
  test: ({ message, session }) => <TestView message={message} session={session} />,
};
