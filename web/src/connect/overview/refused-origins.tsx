import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { FormSettings } from '../../api/endpoints.ts';
import { Time } from '../../components/content/time.tsx';
import { t } from '../../texts/texts.ts';
import type { SettingsChange, useChangeSettings } from '../queries.ts';
import classes from '../share-page.module.css';
import { isRedirectable } from './origin.ts';

const MAX_SHOWN = 5;

/** The change that allows an origin; `null` is that of a file. */
export function allowing(origin: string): SettingsChange {
  return (settings) => {
    if (origin === 'null') return { nullOrigin: true };
    if (settings.origins.includes('*') || settings.origins.includes(origin)) return {};
    return { origins: [...settings.origins, origin] };
  };
}

/** The refused origins that are still not allowed, the latest first. */
function stillRefused({ refusedOrigins, origins, nullOrigin }: FormSettings): FormSettings['refusedOrigins'] {
  return refusedOrigins.filter(({ origin }) => {
    if (origin === 'null') return !nullOrigin;
    return !origins.includes(origin) && !origins.includes('*');
  });
}

/** The origins of refused redirects, the latest first. */
function stillIgnored({ ignoredRedirects = [], origins }: FormSettings): FormSettings['refusedOrigins'] {
  return ignoredRedirects.filter(({ origin }) => !origins.includes(origin));
}

interface RefusedOriginsProps {
  settings: FormSettings;
  change: ReturnType<typeof useChangeSettings>;
}

/** Origins whose submissions were refused, each with a button that allows it. */
export function RefusedOrigins({ settings, change }: RefusedOriginsProps) {
  const refused = stillRefused(settings);
  return (
    <div aria-live="polite">
      {refused.length > 0 && (
        <ul className={classes.refused} aria-label={t.connect.origins.refused}>
          {refused.slice(0, MAX_SHOWN).map(({ origin, count, lastAt }) => (
            <Row
              key={origin}
              text={t.connect.origins.lastRefused(
                origin === 'null' ? t.connect.origins.file : origin,
                count,
                <Time at={lastAt} relative />,
              )}
              label={origin === 'null' ? t.connect.origins.allowFiles : t.connect.origins.allowOf(origin)}
              origin={origin}
              change={change}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

/** Refused redirects (`_next`), each with a button that allows it. */
export function IgnoredRedirects({ settings, change }: RefusedOriginsProps) {
  const ignored = stillIgnored(settings);
  const isAny = settings.origins.includes('*');
  return (
    <div aria-live="polite">
      {ignored.length > 0 && (
        <>
          <Text fw={600} mb={2}>
            {t.connect.origins.ignored}
          </Text>
          <Text c="dimmed" mb={6}>
            {t.connect.origins.ignoredNote()}
          </Text>
          <ul className={classes.refused} aria-label={t.connect.origins.ignored}>
            {ignored.slice(0, MAX_SHOWN).map(({ origin, count, lastAt }) => (
              <Row
                key={origin}
                text={t.connect.origins.lastIgnored(
                  origin === 'null' ? t.connect.origins.addressOnly : origin,
                  count,
                  <Time at={lastAt} relative />,
                )}
                obstacle={redirectObstacle(origin, isAny)}
                label={t.connect.origins.allowAddress(origin)}
                origin={origin}
                change={change}
              />
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

interface RowProps {
  text: ReactNode;
  /** Why the origin cannot be allowed. */
  obstacle?: string | undefined;
  /** The name of the button. */
  label: string;
  origin: string;
  change: RefusedOriginsProps['change'];
}

function Row({ text, obstacle, label, origin, change }: RowProps) {
  return (
    <li>
      <span className="breaks">{text}</span>
      {obstacle === undefined ? (
        <Button
          size="compact-sm"
          aria-label={label}
          disabled={change.isPending}
          onClick={() => change.mutate(allowing(origin))}
        >
          {t.connect.origins.allow}
        </Button>
      ) : (
        <span className={classes.detail}>{obstacle}</span>
      )}
    </li>
  );
}

/** Why no redirect to an origin is possible. */
function redirectObstacle(origin: string, isAny: boolean): string | undefined {
  if (origin === 'null') return t.connect.origins.wholeAddress;
  if (!isRedirectable(origin)) return t.connect.origins.httpsOnly;
  return isAny ? t.connect.origins.listInstead : undefined;
}
