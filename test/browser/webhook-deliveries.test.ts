// @module-tag long

import { describe, expect, it } from 'vitest';
import type { Receiver } from '../support/peers/receiver.ts';
import type { Client } from '../support/server/client.ts';
import { row, withWebhooks } from './webhook-pages.ts';

/** Asks for a pause, so that the test sees the delivery wait. */
const BUSY = { status: 503, headers: { 'Retry-After': '600' }, body: 'try <later>' };

let receiver: Receiver;
let operator: Client;
const { show, submit, create } = withWebhooks((test) => {
  ({ receiver, operator } = test);
});

describe('the deliveries of a webhook', () => {
  it('appear without a reload, and show what happened to them', async () => {
    const { id } = await create();
    receiver.answer = (_, index) => (index === 0 ? BUSY : undefined);
    const page = await show(`/webhooks/${id}`);
    await page.getByText('No deliveries yet').waitFor();
    const { body } = await submit({ name: 'Ada' });
    await row(page, /Waiting.*503.*Next attempt.*user.created/).waitFor();
    await page.getByRole('button', { name: `Try now user.created, revision 1 of ${body.id}` }).click();
    await row(page, /Delivered.*200.*2 attempts.*user.created/).waitFor();
    await submit({ name: 'Ada Lovelace' });
    await row(page, /Delivered.*user.updated.*2.*data.name/).waitFor();

    await page.getByRole('button', { name: `Details of user.created, revision 1 of ${body.id}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('try <later>').waitFor();
    const attempts = await dialog.getByRole('listitem').allInnerTexts();
    expect(attempts).toEqual([
      expect.stringMatching(/Status 503 · \d+ m?s\s+try <later>/),
      expect.stringMatching(/200/),
    ]);
    await dialog.getByText(`POST ${receiver.url}`).waitFor();
    await dialog.getByText('webhook-signature: v1,').waitFor();
    // The record as it is now.
    await dialog.getByText('"name": "Ada Lovelace"').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: body.id }).first().click();
    await page.getByRole('heading', { level: 1, name: 'ada@example.com' }).waitFor();
  });

  it('are replayed one by one, and all since a time', async () => {
    const { id } = await create();
    const { body } = await submit({ name: 'Ada' });
    await submit({ name: 'Grace' }, 'grace@example.com');
    const page = await show(`/webhooks/${id}`);
    await expect.poll(() => row(page, /Delivered/).count()).toBe(2);
    await page.getByRole('button', { name: `Replay user.created, revision 1 of ${body.id}` }).click();
    const [first, , again] = await receiver.until(3);
    expect(again?.body).toEqual(first?.body);
    expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    await row(page, /Delivered.*2 attempts/).waitFor();

    await page.getByRole('button', { name: 'Replay since…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('2 events will be delivered again').waitFor();
    await receiver.until(5);
    await page.getByRole('button', { name: 'Replay since…' }).click();
    await dialog.getByLabel('Since').fill('2100-01-01T00:00');
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('Nothing to replay').waitFor();
    expect(receiver.received.length).toBe(5);
  });

  it('are filtered by state, page by page', async () => {
    receiver.answer = ({ body }) => ({ status: body.data.email === 'bad@example.com' ? 500 : 200 });
    const { id } = await create();
    await submit({ name: 'Bad' }, 'bad@example.com');
    for (let index = 0; index < 26; index += 1) await submit({ name: `N${index}` }, `user${index}@example.com`);
    await receiver.until(27);
    const page = await show(`/webhooks/${id}`);
    await expect.poll(() => row(page, /Delivered/).count()).toBe(25);
    await page.getByRole('button', { name: 'Older' }).click();
    await row(page, /Waiting.*500/).waitFor();
    expect(await row(page, /user.created/).count()).toBe(2);
    await page.getByLabel('State').selectOption('Waiting');
    await expect.poll(() => row(page, /Delivered/).count()).toBe(0);
    await row(page, /Waiting/).waitFor();
    expect(await page.getByRole('button', { name: 'Older' }).count()).toBe(0);
    await page.getByLabel('State').selectOption('Failed');
    await page.getByText('No deliveries in this state').waitFor();
    await page.reload();
    await page.getByText('No deliveries in this state').waitFor();
  });

  it('of an erased record have no link and nothing of the person', async () => {
    const { id } = await create();
    const { body } = await submit({ name: 'Ada' });
    await receiver.until(1);
    await operator.delete(`/auth/users/${body.id}`).expect(200);
    const page = await show(`/webhooks/${id}`);
    await row(page, /Delivered.*user.erased/).waitFor();
    expect(await page.getByRole('link', { name: body.id }).count()).toBe(0);
    await page.getByRole('button', { name: `Details of user.erased, revision 2 of ${body.id}` }).click();
    await page.getByRole('dialog').getByText('"type": "user.erased"').waitFor();
    expect(await page.content()).not.toContain('ada@example.com');
  });
});
