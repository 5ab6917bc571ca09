import { describeBesideCroniter } from "../helpers/croniter-cases";

describeBesideCroniter({ any: 1_200, late: 800, similar: 120 });
