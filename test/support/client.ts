import supertest, { type Test } from 'supertest';
import type { FieldDefinitionInput } from '../../src/fields/definition.ts';
import { assertDocumented } from './openapi.ts';

let made = 0;

/** An app that a test made, with a client for its operators. */
export interface TestApp {
  sourceAppId: string;
  password: string;
}

/** A browser of its own: it keeps cookies. Every answer that it gets is checked against the OpenAPI document. */
export class Client {
  readonly url: string;
  readonly #agent: ReturnType<typeof supertest.agent>;

  constructor(url: string) {
    this.url = url;
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

  delete(path: string): Test {
    return this.#checked(this.#agent.delete(path));
  }

  /** POST /v1/users. */
  submit(sourceAppId: string, body: string | object): Test {
    return this.post('/v1/users', body).set('x-app-id', sourceAppId);
  }

  async logIn(sourceAppId: string, password: string): Promise<this> {
    await this.post('/auth/login', { sourceAppId, password }).expect(200);
    return this;
  }

  /** Creates an app of a new name, with a schema when fields are given. For an admin's client. */
  async buildApp(schema?: { rejectUnknown?: boolean; fields: FieldDefinitionInput[] }): Promise<TestApp> {
    made += 1;
    const { body } = await this.post('/auth/apps', { sourceAppId: `app-${made}` }).expect(200);
    if (schema) await this.putSchema(body.sourceAppId, schema).expect(200);
    return { sourceAppId: body.sourceAppId, password: body.password };
  }

  putSchema(sourceAppId: string, schema: { rejectUnknown?: boolean; fields: FieldDefinitionInput[] }): Test {
    return this.put(`/auth/apps/${sourceAppId}/schema`, { rejectUnknown: false, ...schema });
  }

  #checked(test: Test): Test {
    return test.expect((response) => assertDocumented(test.method, new URL(test.url).pathname, response));
  }
}
