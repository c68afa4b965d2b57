import { Badge } from '@mantine/core';
import type { Webhook } from '../api/endpoints.ts';
import { Time } from '../components/content/time.tsx';
import { t } from '../texts/texts.ts';

/** Whether a webhook gets events, and why not. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { state, disabledReason, disabledAt, failingSince } = webhook;
  if (state === 'disabled') {
    return (
      <>
        <Badge color={disabledReason === 'operator' ? 'gray' : 'red'}>{t.webhooks.disabled}</Badge>
        {disabledReason && (
          <span>
            {t.webhooks.disabledReasons[disabledReason]}
            {disabledAt && (
              <>
                , <Time at={disabledAt} relative />
              </>
            )}
          </span>
        )}
      </>
    );
  }
  if (failingSince === undefined) {
    return <Badge color="green">{t.webhooks.active}</Badge>;
  }
  return (
    <>
      <Badge color="yellow">{t.webhooks.failing}</Badge>
      <span>{t.webhooks.failingSince(<Time at={failingSince} relative />)}</span>
    </>
  );
}
