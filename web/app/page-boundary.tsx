import { Component, type ReactNode } from "react";
import { Button } from "../shared/button.tsx";
import { Page } from "../shared/page.tsx";
import { strings } from "../strings.ts";

interface PageBoundaryProps {
  readonly address: string;
  readonly children: ReactNode;
}

interface PageBoundaryState {
  readonly error: Error | null;
}

/**
 * Shows a page that could not be rendered as an error with its reason, and keeps the bar and its links. Another
 * address is rendered anew. React logs the error in the console.
 */
export class PageBoundary extends Component<PageBoundaryProps, PageBoundaryState> {
  override state: PageBoundaryState = { error: null };

  static getDerivedStateFromError(reason: unknown): PageBoundaryState {
    return { error: reason instanceof Error ? reason : new Error(String(reason)) };
  }

  override componentDidUpdate(former: PageBoundaryProps): void {
    if (former.address !== this.props.address && this.state.error !== null) this.setState({ error: null });
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <Page title={strings.broken.title} lead={strings.broken.lead(error.message)}>
        <p>
          <Button
            onClick={() => {
              this.setState({ error: null });
            }}
          >
            {strings.retry}
          </Button>
        </p>
      </Page>
    );
  }
}
