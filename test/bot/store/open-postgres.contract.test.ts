/** A Postgres keeps to what every memory keeps to. */
import { postgresStore } from '../../support/postgres-store.ts'
import { storeContract } from './contract/contract.ts'

storeContract(postgresStore)
