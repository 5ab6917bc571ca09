import { describeBesideCroniter } from "../helpers/croniter-cases";

describeBesideCroniter({ any: 3_600, late: 2_400, similar: 300 });
