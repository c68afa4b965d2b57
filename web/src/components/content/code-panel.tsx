import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './code-panel.module.css';
import { CopyButton } from './copy-button.tsx';

interface CodePanelProps {
  text: string;
  /** The purpose, beside the button that copies the code. */
  purpose: ReactNode;
  /** Notes before the code. */
  children?: ReactNode;
}

/** Code to copy, with its purpose above it. */
export function CodePanel({ text, purpose, children }: CodePanelProps) {
  return (
    <>
      <div className={classes.top}>
        <div className={classes.purpose}>{purpose}</div>
        <CopyButton text={text} />
      </div>
      {children}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable */}
      <pre className={classes.code} tabIndex={0}>
        <code>{text}</code>
      </pre>
    </>
  );
}

interface CodeTabsProps<One> {
  panels: readonly One[];
  children: (one: One) => ReactNode;
}

export function CodeTabs<One extends { id: string; name: string }>({ panels, children }: CodeTabsProps<One>) {
  return (
    <Tabs defaultValue={panels[0]?.id ?? null} keepMounted={false}>
      <Tabs.List px="xs">
        {panels.map(({ id, name }) => (
          <Tabs.Tab key={id} value={id}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {panels.map((one) => (
        <Tabs.Panel key={one.id} value={one.id}>
          {children(one)}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
