import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** The result of a tool as these tests read it. */
export interface ToolResult {
  isError?: boolean;
  structuredContent: Record<string, unknown>;
  content: { type: string; text: string }[];
}

/** A client of the Model Context Protocol, by the official SDK. */
export interface Assistant {
  /** The names of the tools that its key sees. */
  names(): Promise<string[]>;
  call(name: string, given?: Record<string, unknown>, signal?: AbortSignal): Promise<ToolResult>;
  client: Client;
  close(): Promise<void>;
}

/** Connects a client to the address of a server, with a key and perhaps other headers. */
export async function connectAssistant(url: string, headers: Record<string, string>): Promise<Assistant> {
  const client = new Client({ name: 'tests', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return {
    client,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, given = {}, signal) =>
      (await client.callTool({ name, arguments: given }, undefined, signal ? { signal } : {})) as unknown as ToolResult,
    close: () => client.close(),
  };
}
