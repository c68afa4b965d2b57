import { Button } from '@mantine/core';
import { useState } from 'react';
import { CheckIcon, CopyIcon } from './icons.tsx';

const SHOWN_MS = 2_000;

/** Puts a text on the clipboard and says so. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const copy = async (): Promise<void> => {
    setState((await write(text)) ? 'copied' : 'failed');
    setTimeout(() => setState('idle'), SHOWN_MS);
  };
  const said = { idle: label, copied: 'Copied', failed: 'Select and copy by hand' }[state];
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={state === 'copied' ? <CheckIcon size={14} /> : <CopyIcon size={14} />}
      onClick={() => void copy()}
    >
      <span aria-live="polite">{said}</span>
    </Button>
  );
}

/** The clipboard is there on secure origins only; over plain HTTP in a network the old command still works. */
async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}
