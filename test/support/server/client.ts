import { setTimeout as sleep } from 'node:timers/promises';
import supertest, { type Test } from 'supertest';
import type { FieldDefinitionInput } from '../../../src/core/fields/definition.ts';
import { assertDocumented } from './openapi.ts';

/** How long a machine may be too busy for a log-in. */
const BUSY_MS = 30_000;

let appCount = 0;

/** The credentials of an app that a test created. */
export interface TestApp {
  sourceAppId: string;
  password: string;
}

/**
 * An HTTP client with its own cookie jar. Checks each response against the OpenAPI document, unless
 * `isDocumented` is false: the document is not that of an earlier release.
 */
export class Client {
  readonly url: string;
  readonly #agent: ReturnType<typeof supertest.agent>;
  readonly #isDocumented: boolean;

  constructor(url: string, isDocumented = true) {
    this.url = url;
    this.#isDocumented = isDocumented;
    this.#agent = supertest.agent(url);
  }

  get(path: string): Test {
    return this.#checked(this.#agent.get(path));
  }

  post(path: string, body?: string | object): Test {
    return this.#checked(this.#agent.post(path).send(body));
  }

  put(path: string, body?: string | object): Test {
    return this.#checked(this.#agent.put(path).send(body));
  }

  patch(path: string, body?: string | object): Test {
    return this.#checked(this.#agent.patch(path).send(body));
  }

  delete(path: string): Test {
    return this.#checked(this.#agent.delete(path));
  }

  /** Sends `POST /v1/users`. */
  submit(sourceAppId: string, body: string | object): Test {
    return this.post('/v1/users', body).set('x-app-id', sourceAppId);
  }

  /** Logs in; repeats it while the answer is 503, which a busy machine causes. */
  async logIn(sourceAppId: string, password: string): Promise<this> {
    for (const until = performance.now() + BUSY_MS; ; ) {
      const { status, text } = await this.post('/auth/login', { sourceAppId, password });
      if (status === 200) return this;
      if (status !== 503 || performance.now() > until)
        throw new Error(`the log-in was answered with ${status}: ${text}`);
      await sleep(200);
    }
  }

  /** Creates an app with a unique id and, if given, a schema. Requires an admin session. */
  async buildApp(schema?: { rejectUnknown?: boolean; fields: FieldDefinitionInput[] }): Promise<TestApp> {
    appCount += 1;
    const { body } = await this.post('/auth/apps', { sourceAppId: `app-${appCount}` }).expect(200);
    if (schema) await this.putSchema(body.sourceAppId, schema).expect(200);
    return { sourceAppId: body.sourceAppId, password: body.password };
  }

  putSchema(sourceAppId: string, schema: { rejectUnknown?: boolean; fields: FieldDefinitionInput[] }): Test {
    return this.put(`/auth/apps/${sourceAppId}/schema`, { rejectUnknown: false, ...schema });
  }

  #checked(test: Test): Test {
    if (!this.#isDocumented) return test;
    return test.expect((response) => assertDocumented(test.method, new URL(test.url).pathname, response));
  }
}
