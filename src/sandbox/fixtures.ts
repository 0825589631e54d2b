/** What is in the account before the first call: applications, post-mortems, runners. Hosts, sessions and datasources have files of their own. */
import type { CreateApplicationInput } from '../api/operations/index.ts'
import type { Origin } from './applications.ts'
import { deriveId } from './ids.ts'
import { mainAccount, otherAccount } from './keys.ts'

/** The day before anything that people do with the sandbox. */
const firstMorning = Date.parse('2026-01-12T08:00:00Z')

interface FixtureApplication extends CreateApplicationInput {
  readonly origin: Origin
  readonly isEnabled: boolean
}

function origin(applicationId: string, accountId: number, userId: number, day: number): Origin {
  const clientToken = deriveId('client_token', `fixture/${applicationId}`)
  const atMs = firstMorning + day * 86_400_000
  return { application_id: applicationId, client_token: clientToken, accountId, userId, atMs }
}

export const fixtureApplications: readonly FixtureApplication[] = [
  {
    application_name: 'checkout-web',
    type: 'browser',
    team_id: 1,
    alerting: { enabled: true, channel_ids: [301, 302], integration_id: 41 },
    'the service': {
      enabled: true,
      open_type: 'popup',
      endpoint: 'https://apm.example.com/trace/${trace_id}',
    },
    links: {
      enabled: true,
      systems: [
        {
          name: 'Session replay',
          icon_text: 'SR',
          url: 'https://replay.example.com/${application_id}',
          event_types: ['session', 'error'],
        },
      ],
    },
    origin: origin('CheckoutWebSandboxApp1', mainAccount, 501, 0),
    isEnabled: true,
  },
  {
    application_name: 'courier-ios',
    type: 'ios',
    team_id: 2,
    is_private: true,
    no_ip: true,
    origin: origin('CourierIosSandboxApp02', mainAccount, 501, 1),
    isEnabled: true,
  },
  {
    application_name: 'legacy-web',
    type: 'browser',
    team_id: 2,
    origin: origin('LegacyWebSandboxApp003', mainAccount, 501, 2),
    isEnabled: false,
  },
  {
    application_name: 'other-shop',
    type: 'browser',
    team_id: 3,
    origin: origin('OtherShopSandboxApp004', otherAccount, 601, 0),
    isEnabled: true,
  },
]

/** The report that follows an incident. */
export interface PostMortem {
  readonly post_mortem_id: string
  readonly account_id: number
  readonly title: string
  readonly status: 'drafting' | 'published'
}

export const fixturePostMortems: readonly PostMortem[] = [
  {
    post_mortem_id: '00000000000000000000000000000001',
    account_id: mainAccount,
    title: 'Checkout slow after the 12:00 deploy',
    status: 'drafting',
  },
  {
    post_mortem_id: '00000000000000000000000000000002',
    account_id: mainAccount,
    title: 'Disk full on disk-01',
    status: 'published',
  },
  {
    post_mortem_id: '00000000000000000000000000000009',
    account_id: otherAccount,
    title: 'Shop unreachable',
    status: 'drafting',
  },
]

/** A place where provisioned agents run: of a whole account (`team_id` 0) or of one team. */
interface Runner {
  readonly environment_id: string
  readonly account_id: number
  readonly team_id: number
}

export const runners: readonly Runner[] = [
  { environment_id: 'env_account', account_id: mainAccount, team_id: 0 },
  { environment_id: 'env_team_1', account_id: mainAccount, team_id: 1 },
  { environment_id: 'env_team_2', account_id: mainAccount, team_id: 2 },
  { environment_id: 'env_other', account_id: otherAccount, team_id: 0 },
]
