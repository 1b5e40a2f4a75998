import { Component, type ComponentChildren } from 'preact';

interface UnchangedProps {
  /** What the content depends on, besides signals. */
  readonly by: readonly unknown[];
  readonly children: () => ComponentChildren;
}

/** Draws its content again only when one of the values is another one: for the rows of long lists. */
export class Unchanged extends Component<UnchangedProps> {
  override shouldComponentUpdate({ by }: UnchangedProps): boolean {
    return by.length !== this.props.by.length || by.some((value, i) => value !== this.props.by[i]);
  }

  override render() {
    return this.props.children();
  }
}
