import { Button } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../texts/first-texts.ts';
import { CheckIcon, CopyIcon } from '../icons.tsx';

const FEEDBACK_MS = 2_000;

interface CopyButtonProps {
  text: string;
  label?: string;
  /** Whether the label is the title of an icon. */
  isIcon?: boolean;
}

/** Copies a text to the clipboard and shows whether that succeeded. */
export function CopyButton({ text, label = t.components.copy, isIcon = false }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const copy = async (): Promise<void> => {
    setState((await copyText(text)) ? 'copied' : 'failed');
    setTimeout(() => setState('idle'), FEEDBACK_MS);
  };
  const caption = { idle: label, copied: t.components.copied, failed: t.components.notCopied }[state];
  const icon = state === 'copied' ? <CheckIcon size={14} /> : <CopyIcon size={14} />;
  return (
    <Button
      variant="default"
      size="xs"
      {...(isIcon ? { title: label, px: 8 } : { leftSection: icon })}
      onClick={() => void copy()}
    >
      {isIcon && icon}
      <span aria-live="polite" className={isIcon && state !== 'failed' ? 'visually-hidden' : undefined}>
        {caption}
      </span>
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
