import { NativeSelect, SegmentedControl } from '@mantine/core';
import { languageName } from '../../languages/languages.ts';
import { t } from '../../texts/texts.ts';
import own from './settings.module.css';

const DEVICES = ['desktop', 'phone'] as const;
const SCHEMES = ['auto', 'light', 'dark'] as const;

/** How the form is shown beside its inputs. */
export interface View {
  device: (typeof DEVICES)[number];
  /** What a visitor has; a form with a scheme shows it to everybody. */
  scheme: (typeof SCHEMES)[number];
  /** The language of the texts; empty: the one in which they are written. */
  tag: string;
}

export const FIRST_VIEW: View = { device: 'desktop', scheme: 'auto', tag: '' };

interface ViewToolsProps {
  view: View;
  onChange: (part: Partial<View>) => void;
  /** The other languages of the form. */
  tags: readonly string[];
}

/** Chooses the device, the colors and the language in which the form is shown. */
export function ViewTools({ view, onChange, tags }: ViewToolsProps) {
  const texts = t.connect.settings;
  return (
    <div className={own.viewTools}>
      <SegmentedControl
        aria-label={texts.shownDevice}
        size="xs"
        value={view.device}
        onChange={(device) => onChange({ device })}
        data={DEVICES.map((value) => ({ value, label: texts.devices[value] }))}
      />
      <SegmentedControl
        aria-label={texts.visitorScheme}
        size="xs"
        value={view.scheme}
        onChange={(scheme) => onChange({ scheme })}
        data={SCHEMES.map((value) => ({ value, label: texts.visitorSchemes[value] }))}
      />
      {tags.length > 0 && (
        <NativeSelect
          aria-label={texts.viewLanguage}
          size="xs"
          value={view.tag}
          data={[
            { value: '', label: texts.original },
            ...tags.map((tag) => ({ value: tag, label: languageName(tag) })),
          ]}
          onChange={(event) => onChange({ tag: event.currentTarget.value })}
        />
      )}
    </div>
  );
}
