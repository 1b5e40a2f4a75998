import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';
import { isPhone } from '../phone.ts';

interface SplitProps {
  /** What the address names; undefined where it names nothing, so that a phone shows the list. */
  readonly openId: string | undefined;
  /** The list has no items, so that a phone shows what takes their place below it. */
  readonly isEmpty?: boolean;
  /** The way back to the list on a phone. It does not depend on what could be loaded. */
  readonly back: { readonly href: string; readonly text: string };
  readonly list: ComponentChildren;
  readonly class?: string;
  /** The details of the chosen item, or what takes their place. */
  readonly children: ComponentChildren;
}

/** A list and the details of the chosen item, side by side; on a phone, one of both. */
export function Split({ openId, isEmpty = false, back, list, class: name = '', children }: SplitProps) {
  const element = useRef<HTMLDivElement>(null);
  useFocusOnSwitch(openId, element);
  return (
    <div ref={element} class={`split ${name}${openId === undefined ? '' : ' has-detail'}${isEmpty ? ' is-empty' : ''}`}>
      {list}
      <a class="button quiet back" href={back.href}>
        <Icon name="back" />
        {back.text}
      </a>
      {children}
    </div>
  );
}

/** On a phone the focused element is hidden when the list and the details take each other's place: reading goes on in the other. */
function useFocusOnSwitch(openId: string | undefined, split: { readonly current: HTMLElement | null }): void {
  const before = useRef({ openId, address: location.href });
  useEffect(() => {
    const { openId: openBefore, address } = before.current;
    before.current = { openId, address: location.href };
    if (openBefore === openId || !isPhone()) return;
    const root = split.current!;
    if (openId === undefined) focus(itemAt(address, root) ?? root.querySelector<HTMLElement>('.list'));
    else if (openBefore === undefined || document.activeElement === document.body)
      focus(root.querySelector<HTMLElement>('.detail h2') ?? root.querySelector<HTMLElement>('.back'));
  }, [openId]);
}

function itemAt(address: string, root: HTMLElement): HTMLElement | undefined {
  return [...root.querySelectorAll<HTMLAnchorElement>('a.item')].find(({ href }) => href === address);
}

function focus(target: HTMLElement | null): void {
  if (target === null) return;
  if (target.tabIndex < 0) target.tabIndex = -1;
  target.focus();
}
