import { Button, FileButton, Group, Input } from '@mantine/core';
import { useRef, useState } from 'react';
import { IMAGE_BYTES, IMAGE_TYPES, type ImageName } from '#src/features/display/theme.ts';
import { capitalize } from '../../schema-editor/draft/messages.ts';
import { t } from '../../texts/texts.ts';
import own from './settings.module.css';
import type { SettingsEditor } from './use-settings.ts';

const KB = 1024;

/** An image of the forms, which is chosen as a file. */
export function ImageField({ name, editor: { draft, problems, edit } }: { name: ImageName; editor: SettingsEditor }) {
  const { names, imageNote, images } = t.connect.settings;
  const [refused, setRefused] = useState<string>();
  const reset = useRef<() => void>(null);
  const max = IMAGE_BYTES[name] / KB;

  async function choose(file: File | null) {
    if (!file) return;
    // The same file can be chosen again.
    reset.current?.();
    const refusal = refusalOf(file, name);
    setRefused(refusal);
    if (refusal === undefined) edit({ [name]: await readDataUrl(file) });
  }

  return (
    <Input.Wrapper
      label={names[name]}
      labelElement="div"
      description={imageNote(max)}
      error={refused ?? capitalize(problems[name])}
      errorProps={{ role: 'alert' }}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    >
      <Group gap="xs" my={6}>
        {draft[name] && <img className={own.image} src={draft[name]} alt="" />}
        <FileButton resetRef={reset} accept={IMAGE_TYPES.join(',')} onChange={choose}>
          {(props) => (
            <Button {...props} variant="default" size="xs">
              {draft[name] ? images[name].replace : images[name].choose}
            </Button>
          )}
        </FileButton>
        {draft[name] && (
          <Button
            variant="default"
            size="xs"
            onClick={() => {
              setRefused(undefined);
              edit({ [name]: '' });
            }}
          >
            {images[name].remove}
          </Button>
        )}
      </Group>
    </Input.Wrapper>
  );
}

function refusalOf({ type, size }: File, name: ImageName): string | undefined {
  const { notImage, imageTooLarge } = t.connect.settings;
  if (!(IMAGE_TYPES as readonly string[]).includes(type)) return notImage;
  const max = IMAGE_BYTES[name];
  return size > max ? imageTooLarge(Math.ceil(size / KB), max / KB) : undefined;
}

function readDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
