import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A question for the verdict on a token. */
export interface Question {
  provider: string;
  token: string;
  secret: string;
}

/** What a fake provider answers: JSON with its status, or by hand. */
type Reply = { status?: number; body: unknown } | ((res: ServerResponse) => void);

const SECRET = 'the-secret-of-the-app-at-its-provider';
export const PROVIDERS = ['turnstile', 'hcaptcha', 'recaptcha', 'friendly'] as const;
type Provider = (typeof PROVIDERS)[number];

/** The settings of an app with a provider. */
export const captchaSettings = (provider: Provider, more: object = {}) => ({
  botProtection: provider,
  captcha: { siteKey: `site-key-of-${provider}`, secret: SECRET, ...more },
});

/** The form entry with the token of each provider. */
export const ENTRIES: Readonly<Record<Provider, string>> = {
  turnstile: 'cf-turnstile-response',
  hcaptcha: 'h-captcha-response',
  recaptcha: 'g-recaptcha-response',
  friendly: 'frc-captcha-response',
};

/**
 * Providers of challenges on this machine, with the protocols of the real ones: each token that
 * begins with `good` is valid once, solved on the host that follows it: `good@www.example.com#1`.
 */
export class CaptchaProviders {
  readonly asked: Question[] = [];
  /** The questions that wait for an answer now, and the most at the same time. */
  waiting = 0;
  mostWaiting = 0;
  /** Answers in place of the protocol. */
  answer: (question: Question, index: number) => Reply | Promise<Reply | undefined> | undefined = () => undefined;
  readonly #used = new Set<string>();
  readonly #server;

  private constructor() {
    this.#server = createServer((req, res) => void this.#handle(req, res));
  }

  static async start(): Promise<CaptchaProviders> {
    const providers = new CaptchaProviders();
    await new Promise<void>((resolve) => providers.#server.listen(0, '127.0.0.1', resolve));
    return providers;
  }

  /** The variable of the service. */
  get env(): { CAPTCHA_URLS: string } {
    const { port } = this.#server.address() as AddressInfo;
    const urls = PROVIDERS.map((name) => [name, `http://127.0.0.1:${port}/${name}`]);
    return { CAPTCHA_URLS: JSON.stringify(Object.fromEntries(urls)) };
  }

  close(): Promise<unknown> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const question = readQuestion(req, Buffer.concat(chunks).toString());
    this.waiting += 1;
    this.mostWaiting = Math.max(this.mostWaiting, this.waiting);
    const reply = (await this.answer(question, this.asked.push(question) - 1)) ?? this.#verdict(question);
    if (typeof reply === 'function') {
      res.on('close', () => {
        this.waiting -= 1;
      });
      return reply(res);
    }
    // Before the service knows it.
    this.waiting -= 1;
    res.writeHead(reply.status ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body));
  }

  #verdict({ provider, token, secret }: Question): { status?: number; body: unknown } {
    const isSecret = secret === SECRET;
    const isGood = token.startsWith('good') && !this.#used.has(token);
    const [, host] = /^good@([^#]+)/.exec(token) ?? [];
    if (isSecret) this.#used.add(token);
    if (provider === 'friendly') {
      if (!isSecret) return { status: 401, body: { success: false, error: { error_code: 'auth_invalid' } } };
      if (!isGood) return { body: { success: false, error: { error_code: 'response_invalid' } } };
      const origin = host === undefined ? '' : `https://${host}`;
      return { body: { success: true, data: { event_id: 'ev', challenge: { timestamp: '', origin } } } };
    }
    if (!isSecret) return { body: { success: false, 'error-codes': ['invalid-input-secret'] } };
    if (!isGood) return { body: { success: false, 'error-codes': ['invalid-input-response'] } };
    return { body: { success: true, 'error-codes': [], ...(host !== undefined && { hostname: host }) } };
  }
}

function readQuestion({ url = '', headers }: IncomingMessage, text: string): Question {
  const provider = url.slice(1);
  if (provider === 'friendly') {
    if (headers['content-type'] !== 'application/json') throw new Error('not JSON');
    return { provider, token: JSON.parse(text).response, secret: String(headers['x-api-key']) };
  }
  if (headers['content-type'] !== 'application/x-www-form-urlencoded') throw new Error('not a form');
  const form = new URLSearchParams(text);
  return { provider, token: form.get('response') ?? '', secret: form.get('secret') ?? '' };
}
