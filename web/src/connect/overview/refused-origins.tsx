import { Button, Text } from '@mantine/core';
import type { FormSettings } from '../../api/endpoints.ts';
import { Time } from '../../components/time.tsx';
import { t } from '../../texts/texts.ts';
import classes from '../connect-page.module.css';
import type { SettingsChange, useChangeSettings } from '../queries.ts';
import { isAllowable, isRedirectable } from './origin.ts';

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
export function stillRefused({ refusedOrigins, origins, nullOrigin }: FormSettings): FormSettings['refusedOrigins'] {
  return refusedOrigins.filter(({ origin }) => {
    if (origin === 'null') return !nullOrigin;
    return !origins.includes(origin) && !origins.includes('*');
  });
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
            <li key={origin}>
              <span className="breaks">
                {t.connect.origins.lastRefused(
                  origin === 'null' ? t.connect.origins.file : origin,
                  count,
                  <Time at={lastAt} relative />,
                )}
              </span>
              {isAllowable(origin) ? (
                <Button
                  size="compact-sm"
                  aria-label={origin === 'null' ? t.connect.origins.allowFiles : t.connect.origins.allowOf(origin)}
                  disabled={change.isPending}
                  onClick={() => change.mutate(allowing(origin))}
                >
                  {t.connect.origins.allow}
                </Button>
              ) : (
                <span className={classes.detail}>{t.connect.origins.noWebsite}</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The origins of refused redirects, the latest first. */
export function stillIgnored({ ignoredRedirects = [], origins }: FormSettings) {
  return ignoredRedirects.filter(({ origin }) => !origins.includes(origin));
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
              <li key={origin}>
                <span className="breaks">
                  {t.connect.origins.lastIgnored(
                    origin === 'null' ? t.connect.origins.addressOnly : origin,
                    count,
                    <Time at={lastAt} relative />,
                  )}
                </span>
                <Allow origin={origin} isAny={isAny} change={change} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Allow({ origin, isAny, change }: { origin: string; isAny: boolean; change: RefusedOriginsProps['change'] }) {
  const obstacle = redirectObstacle(origin, isAny);
  if (obstacle !== undefined) return <span className={classes.detail}>{obstacle}</span>;
  return (
    <Button
      size="compact-sm"
      aria-label={t.connect.origins.allowAddress(origin)}
      disabled={change.isPending}
      onClick={() => change.mutate(allowing(origin))}
    >
      {t.connect.origins.allow}
    </Button>
  );
}

/** Why no redirect to an origin is possible. */
function redirectObstacle(origin: string, isAny: boolean): string | undefined {
  if (origin === 'null') return t.connect.origins.wholeAddress;
  if (!isRedirectable(origin)) return t.connect.origins.httpsOnly;
  return isAny ? t.connect.origins.listInstead : undefined;
}
