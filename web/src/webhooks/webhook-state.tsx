import { Badge } from '@mantine/core';
import type { Webhook } from '../api/endpoints.ts';
import { Time } from '../components/time.tsx';
import { t } from '../texts/texts.ts';

/** Whether a webhook gets events, and why not. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { state, disabledReason, disabledAt, failingSince } = webhook;
  if (state === 'disabled') {
    return (
      <>
        <Badge variant="light" color={disabledReason === 'operator' ? 'gray' : 'red'} tt="none">
          {t.webhooks.disabled}
        </Badge>
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
    return (
      <Badge variant="light" color="green" tt="none">
        {t.webhooks.active}
      </Badge>
    );
  }
  return (
    <>
      <Badge variant="light" color="yellow" tt="none">
        {t.webhooks.failing}
      </Badge>
      <span>{t.webhooks.failingSince(<Time at={failingSince} relative />)}</span>
    </>
  );
}
