import { Button } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../texts/first-texts.ts';
import { CheckIcon, CopyIcon } from '../icons.tsx';

const FEEDBACK_MS = 2_000;

/** Copies a text to the clipboard and shows whether that succeeded. */
export function CopyButton({ text, label = t.components.copy }: { text: string; label?: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const copy = async (): Promise<void> => {
    setState((await copyText(text)) ? 'copied' : 'failed');
    setTimeout(() => setState('idle'), FEEDBACK_MS);
  };
  const caption = { idle: label, copied: t.components.copied, failed: t.components.notCopied }[state];
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={state === 'copied' ? <CheckIcon size={14} /> : <CopyIcon size={14} />}
      onClick={() => void copy()}
    >
      <span aria-live="polite">{caption}</span>
    </Button>
  );
}

/** `navigator.clipboard` exists only in secure contexts; over HTTP `execCommand` still works. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** Selects the text in an element for a moment. The focus returns to where it was. */
function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  // It neither scrolls the page nor opens the keyboard of a phone.
  area.readOnly = true;
  area.style.position = 'fixed';
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return isCopied;
}
