import {
  between,
  countField,
  firstRows,
  measuredNumber,
  noParameters,
  parameters,
  type SandboxTool,
  toolTimeText,
} from './tool.ts'

/** Tools that look at a MySQL server. */
export const mysqlTools: readonly SandboxTool[] = [
  {
    name: 'mysql.overview',
    version: '2.0.1',
    description: 'Version, connections, throughput.',
    input: noParameters,
    run(_params, { random }) {
      const connections = between(random, 20, 90)
      return {
        data: {
          version: '8.0.39',
          connections,
          max_connections: 200,
          queries_per_second: measuredNumber(random, 120, 900),
          buffer_pool_hit_percent: measuredNumber(random, 97, 99.9, 2),
        },
        summary: `${connections} of 200 connections in use`,
      }
    },
  },
  {
    name: 'mysql.lock_contention',
    version: '2.0.0',
    description: 'Who waits for whose lock.',
    input: noParameters,
    run(_params, { random }) {
      const waits = [
        {
          waiting_thread: between(random, 100, 199),
          blocking_thread: between(random, 200, 299),
          table: 'shop.orders',
          waited_seconds: between(random, 1, 30),
        },
      ]
      return { data: { waits }, summary: `1 wait of ${waits[0]?.waited_seconds} s on shop.orders` }
    },
  },
  {
    name: 'mysql.query',
    version: '2.1.0',
    description: 'Runs one reading statement.',
    input: parameters(
      {
        sql: { type: 'string', minLength: 1, maxLength: 10_000, description: 'A SELECT or SHOW statement.' },
        max_rows: countField(100, 1000, 'Rows at most.'),
      },
      ['sql'],
    ),
    run({ sql, max_rows = 100 }, { random }) {
      const statement = String(sql).trim()
      if (!/^(select|show|explain)\b/i.test(statement))
        return { code: 'denied', message: 'only reading statements are allowed' }
      const sleep = /\bsleep\s*\(\s*(\d+(?:\.\d+)?)\s*\)/i.exec(statement)?.[1]
      if (sleep !== undefined) {
        const data = { columns: ['sleep'], rows: [[0]], row_count: 1 }
        return { data, summary: '1 row', takesMs: Number(sleep) * 1000 }
      }
      const all = Array.from({ length: 120 }, (_, index) => [
        index + 1,
        `order-${between(random, 1000, 9999)}`,
      ])
      const { rows, truncated } = firstRows(all, max_rows)
      return {
        data: { columns: ['id', 'name'], rows, row_count: rows.length },
        summary: `${rows.length} rows`,
        truncated,
      }
    },
  },
  {
    name: 'mysql.slow_queries',
    version: '2.0.0',
    description: 'Statements that took longest.',
    input: parameters({ top_n: countField(5, 50, 'How many statements.') }),
    run({ top_n = 5 }, { atMs, random }) {
      const all = ['SELECT … FROM orders', 'UPDATE stock SET …', 'SELECT … FROM sessions'].map(
        (statement) => ({
          statement,
          seconds: measuredNumber(random, 1, 12, 2),
          at: toolTimeText(atMs - between(random, 1, 60) * 60_000),
        }),
      )
      const { rows, truncated } = firstRows(all, top_n)
      return { data: { queries: rows }, summary: `${rows.length} slow statements`, truncated }
    },
  },
  {
    name: 'mysql.replication',
    version: '2.0.0',
    description: 'How far the replicas are behind.',
    input: noParameters,
    run(_params, { random }) {
      const behindSeconds = measuredNumber(random, 0, 2, 2)
      return {
        data: { replicas: [{ name: 'replica-1', running: true, behind_seconds: behindSeconds }] },
        summary: `replica-1 is ${behindSeconds} s behind`,
      }
    },
  },
]
