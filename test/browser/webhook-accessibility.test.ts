// @module-tag long
// @module-tag fault

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeViolationsInBothModes } from '../support/browser/axe.ts';
import { goWithin, pathAs } from '../support/browser/browser.ts';
import type { Receiver } from '../support/peers/receiver.ts';
import type { Client, TestApp } from '../support/server/client.ts';
import { row, withWebhooks } from './webhook-pages.ts';

const SCREEN = { width: 1280, height: 900 };
const PHONE = { width: 320, height: 640 };

let app: TestApp;
let receiver: Receiver;
let operator: Client;
const { show, submit, create, choose } = withWebhooks((test) => {
  ({ app, receiver, operator } = test);
});

describe('the pages of webhooks', () => {
  type View = [name: string, show: (page: Page) => Promise<unknown>];
  const EMPTY_LIST: View = ['the empty list', (page) => page.getByText('No webhooks yet').waitFor()];
  const showDeliveries = async (page: Page): Promise<void> => {
    await page.getByRole('link', { name: receiver.url, exact: true }).click();
    await row(page, /Failed.*410/).waitFor();
  };
  /** Of one webhook that is disabled, which the last one enables. */
  const VIEWS: View[] = [
    ['the list', (page) => page.getByText('It answered 410 Gone').waitFor()],
    [
      'the result of a test',
      async (page) => {
        await page.getByRole('button', { name: `Send test event to ${receiver.url}` }).click();
        await page.getByText('The test event was not accepted').waitFor();
      },
    ],
    [
      'the actions',
      async (page) => {
        await page.getByRole('button', { name: `Actions for ${receiver.url}` }).click();
        await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
      },
    ],
    [
      'the form',
      async (page) => {
        await page.getByRole('button', { name: 'Add webhook' }).click();
        await page.getByRole('button', { name: 'Add', exact: true }).click();
        await page.getByText(/^The URL must/).waitFor();
      },
    ],
    [
      'a new secret',
      async (page) => {
        await choose(page, 'Rotate secret');
        await page.getByRole('button', { name: 'Rotate secret' }).click();
        await page.getByText("You won't see this again").waitFor();
      },
    ],
    ['the deliveries', showDeliveries],
    [
      'a delivery',
      async (page) => {
        await showDeliveries(page);
        await page.getByRole('button', { name: /^Details of user.created/ }).click();
        await page.getByText('"name": "Ada"').waitFor();
      },
    ],
    [
      'the form of replays',
      async (page) => {
        const { body } = await operator.get('/auth/webhooks').expect(200);
        await operator.patch(`/auth/webhooks/${body.webhooks[0].id}`, { enabled: true }).expect(200);
        await showDeliveries(page);
        await page.getByRole('button', { name: 'Replay since…' }).click();
        await page.getByLabel('Since').waitFor();
      },
    ],
  ];

  async function expectAccessible(page: Page, [name, showView]: View): Promise<void> {
    await page.setViewportSize(PHONE);
    await goWithin(page, '/none');
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    await goWithin(page, pathAs(app, '/webhooks'));
    await showView(page);
    for (const viewport of [PHONE, SCREEN]) {
      await page.setViewportSize(viewport);
      const found = await axeViolationsInBothModes(page);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect({ name, viewport, found, width }).toEqual({ name, viewport, found: [], width: viewport.width });
    }
  }

  it('have no axe violations in both modes and fit a small phone', async () => {
    const page = await show('/webhooks');
    await expectAccessible(page, EMPTY_LIST);
    receiver.answer = () => ({ status: 410, body: '{"gone":true}' });
    await create();
    await submit({ name: 'Ada', long: 'x'.repeat(200) });
    await expect.poll(async () => (await operator.get('/auth/webhooks')).body.webhooks[0].disabledReason).toBe('gone');
    for (const view of VIEWS) await expectAccessible(page, view);
  }, 120_000);
});
