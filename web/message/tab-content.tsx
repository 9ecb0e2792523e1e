import { Suspense, type ReactElement } from "react";
import type { MessageTab } from "../navigation/routes.ts";
import layout from "../shared/layout.module.css";
import { lazyComponent } from "../shared/lazy-component.ts";
import { strings } from "../strings.ts";
import type { Message, Session } from "../wire.ts";
import { AttachmentsView } from "./attachments/attachments-view.tsx";
import { ConversationView } from "./content/conversation-view.tsx";
import { DeliveryView } from "./delivery/delivery-view.tsx";
import { HeadersView } from "./source/headers-view.tsx";
import { HtmlView } from "./content/html-view.tsx";
import { LinksView } from "./checks/links-view.tsx";
import { StructureView } from "./source/structure-view.tsx";
import { TextView } from "./content/text-view.tsx";

const SourceView = lazyComponent(async () => (await import("./source/source-view.tsx")).SourceView);
const ChecksView = lazyComponent(async () => (await import("./checks/checks-view.tsx")).ChecksView);
const PreviewsView = lazyComponent(async () => (await import("./checks/previews-view.tsx")).PreviewsView);
const ReportView = lazyComponent(async () => (await import("./report/report-view.tsx")).ReportView);
const TestView = lazyComponent(async () => (await import("./test-view.tsx")).TestView);

interface ViewProps {
  /** Element in which the view shows tools of its own; null before the page has it. */
  readonly toolbar: HTMLElement | null;
  readonly message: Message;
  readonly session: Session;
  readonly hrefOf: (id: string, tab?: MessageTab) => string;
}

/** Content of the selected view. */
export function TabContent({ selected, ...view }: ViewProps & { readonly selected: MessageTab }): ReactElement {
  const View = views[selected];
  return (
    <Suspense fallback={<p className={layout.faint}>{strings.loading}</p>}>
      <View {...view} />
    </Suspense>
  );
}

const views: Readonly<Record<MessageTab, (props: ViewProps) => ReactElement>> = {
  html: ({ message, toolbar }) => <HtmlView message={message} toolbar={toolbar} />,
  text: ({ message }) => <TextView message={message} />,
  report: ({ message, hrefOf }) => <ReportView id={message.id} hrefOf={hrefOf} />,
  conversation: ({ message, hrefOf }) => <ConversationView message={message} hrefOf={hrefOf} />,
  source: ({ message }) => <SourceView message={message} />,
  headers: ({ message }) => <HeadersView message={message} />,
  structure: ({ message }) => <StructureView id={message.id} />,
  attachments: ({ message }) => <AttachmentsView message={message} />,
  links: ({ message }) => <LinksView message={message} />,
  delivery: ({ message }) => <DeliveryView message={message} />,
  checks: ({ message }) => <ChecksView id={message.id} />,
  previews: ({ message }) => <PreviewsView id={message.id} />,
  test: ({ message, session }) => <TestView message={message} session={session} />,
};
