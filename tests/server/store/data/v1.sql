-- A database of schema version 1, as written by the program of that time: two tuning jobs (one
-- under --fix), a bench and a peak job.
PRAGMA application_id=1095521329; PRAGMA user_version=1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE facts(              -- about the file
  name TEXT PRIMARY KEY,         -- epoch: how often it has been opened; id: drawn when made
  value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO facts VALUES('epoch',4);
INSERT INTO facts VALUES('id',-7904517969597702391);
CREATE TABLE workloads(
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE);
INSERT INTO workloads VALUES(1,'matmul:m=16,n=32,k=16,batch=1,trans_a=0,trans_b=0,const_b=1,dtype=f32');
INSERT INTO workloads VALUES(2,'matmul:m=8,n=32,k=16,batch=1,trans_a=0,trans_b=0,const_b=1,dtype=f32');
CREATE TABLE targets(
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE);
INSERT INTO targets VALUES(1,'cpu:mcpu=emeraldrapids,vec=512,threads=1');
CREATE TABLE validators(
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE);
INSERT INTO validators VALUES(1,replace('is alt 0.1.0\nis cpu Intel(R) Xeon(R) Processor\n','\n',char(10)));
CREATE TABLE records(            -- one for each workload, target and candidate
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,      -- 16 hex digits, a hash of the three
  workload INTEGER NOT NULL REFERENCES workloads(id),
  target INTEGER NOT NULL REFERENCES targets(id),
  candidate TEXT NOT NULL,       -- canonical
  checksum INTEGER NOT NULL);
INSERT INTO records VALUES(1,'1f0c145c24cad599',1,1,replace('algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 8)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n','\n',char(10)),4545878240567473682);
INSERT INTO records VALUES(2,'73451f5705493a6c',1,1,replace('algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 12)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n','\n',char(10)),-4318970987728596212);
INSERT INTO records VALUES(3,'93ad7693f68c6c50',1,1,replace('algorithm direct\nlayout a: split(0,14) reorder(0,2,1)\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 14)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n','\n',char(10)),-5323937405512136312);
INSERT INTO records VALUES(4,'2dc5b0d47f555ada',1,1,replace('algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 6)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n','\n',char(10)),-1726173165786359075);
INSERT INTO records VALUES(5,'4ca8be91ec7d47f1',1,1,replace('algorithm direct\nlayout a: split(0,8) reorder(0,2,1)\nlayout b: split(1,32) reorder(1,0,2)\nlayout c: split(0,8) split(2,32) reorder(0,2,1,3)\nreorder(matmul: n.0 m.0 k m.1 n.1)\nunroll(matmul.m.1)\nvectorize(matmul.n.1)\n','\n',char(10)),8146545689952958230);
INSERT INTO records VALUES(6,'346fe626bc20f7cf',1,1,replace('algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nreorder(matmul: m k n)\nvectorize(matmul.n)\n','\n',char(10)),3736047144013449681);
INSERT INTO records VALUES(7,'8ad8461b21dc34c0',1,1,replace('algorithm direct\nlayout a: split(0,13) reorder(0,2,1)\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 13)\nsplit(matmul.k, 2)\nreorder(matmul: m.0 k.0 k.1 m.1 n)\nunroll(matmul.m.1)\nunroll(matmul.k.1)\nvectorize(matmul.n)\nprefetch(matmul.k.0, b, 8)\n','\n',char(10)),-2738308257955610910);
INSERT INTO records VALUES(8,'2eb1813f373cfa90',2,1,replace('algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nreorder(matmul: k m n)\nunroll(matmul.m)\nvectorize(matmul.n)\n','\n',char(10)),1177446170364403629);
INSERT INTO records VALUES(9,'a0b8229db552e70c',2,1,replace('algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 6)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n','\n',char(10)),-8819261537123708166);
INSERT INTO records VALUES(10,'328af4018692e3fd',2,1,replace('algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nreorder(matmul: m k n)\nvectorize(matmul.n)\n','\n',char(10)),3200009558748216737);
INSERT INTO records VALUES(11,'2c54b3311d73b75a',2,1,replace('algorithm direct\nlayout b: split(1,8) reorder(1,0,2)\nsplit(matmul.n, 8)\nreorder(matmul: n.0 k m n.1)\nunroll(matmul.m)\nvectorize(matmul.n.1)\nprefetch(matmul.k, b, 8)\n','\n',char(10)),4321756913289494378);
INSERT INTO records VALUES(12,'3bc2c27af16d7359',2,1,replace('algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 2)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n','\n',char(10)),-7896546991457030419);
INSERT INTO records VALUES(13,'3721b48604512555',2,1,replace('algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 2, 2)\nreorder(matmul: m.0 m.1 k m.2 n)\nunroll(matmul.m.2)\nvectorize(matmul.n)\n','\n',char(10)),-1008867684285162540);
INSERT INTO records VALUES(14,'37567f5fcda4dea3',2,1,replace('algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 7)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n','\n',char(10)),674953135213657762);
CREATE TABLE results(            -- one for each measurement
  sequence INTEGER PRIMARY KEY,  -- one count with champions
  record INTEGER REFERENCES records(id),  -- NULL: of a baseline or finalist
  job TEXT NOT NULL,             -- "" for none
  batch INTEGER,                 -- place in the job's log; NULL for what came by import
  place INTEGER,
  trial INTEGER NOT NULL,        -- from 1; 0 for no trial
  worker TEXT NOT NULL,
  time INTEGER NOT NULL,
  active INTEGER NOT NULL,       -- microseconds that the job had run
  cache INTEGER NOT NULL,        -- 0 warm, 1 rotate, 2 cold
  validators INTEGER NOT NULL REFERENCES validators(id),
  outcome TEXT NOT NULL,
  message TEXT NOT NULL,
  min_ns REAL, median_ns REAL, mad_ns REAL, n INTEGER,  -- NULL but for OK
  censored INTEGER NOT NULL,
  peak_gflops REAL,
  code_bytes INTEGER NOT NULL, vector_fmas INTEGER NOT NULL, vector_loads INTEGER NOT NULL,
  spills INTEGER NOT NULL, inner_loop_spills INTEGER NOT NULL, workspace_bytes INTEGER NOT NULL,
  build_s REAL NOT NULL, check_s REAL NOT NULL, run_s REAL NOT NULL, wait_s REAL NOT NULL,
  checksum INTEGER NOT NULL);
INSERT INTO results VALUES(1,1,'j1',0,0,0,'vm/cpu:0-private-26005',1796094047377605,455023,0,1,'OK','',97.476265822784810667,97.512921940928265485,0.018459915611813926261,6,0,172.36751338038709491,492,16,10,0,0,0,0.087158789999999999875,0.15631995700000000937,0.005794047000000000086,0.00028116799999999998868,-4069449711586951120);
INSERT INTO results VALUES(2,2,'j1',1,0,1,'vm/cpu:0-private-26005',1796094047598037,675455,0,1,'OK','',109.53600944510034764,110.09090909090909349,0.075855962219598893625,6,0,172.33732553917980112,844,32,20,0,0,0,0.033729635000000000866,0.0042787140000000003017,0.0017674940000000000962,5.7939999999999999219e-06,4880045817723352106);
INSERT INTO results VALUES(3,3,'j1',1,1,2,'vm/cpu:0-private-26005',1796094047598037,675455,0,1,'OK','',100.80141129032257652,104.43044354838710318,3.6043346774193594228,9,0,178.74063697743287093,860,32,20,0,0,0,0.047336587999999998888,0.00031663600000000002247,0.0027246689999999998757,5.8959999999999999614e-06,5311674245612684217);
INSERT INTO results VALUES(4,4,'j1',1,2,3,'vm/cpu:0-private-26005',1796094047598037,675455,0,1,'OK','',106.65212765957447515,109.43563829787234454,1.4284574468085082799,6,0,178.7558405517208655,620,20,14,0,0,0,0.026014017999999999863,0.00015512899999999999823,0.015935213000000000155,5.922999999999999873e-06,1244748613313284796);
INSERT INTO results VALUES(5,5,'j1',1,3,4,'vm/cpu:0-private-26005',1796094047598037,675455,0,1,'OK','',99.683948155533400378,99.79087736789631435,0.030907278165500429167,6,0,178.7638876489032782,492,16,10,0,0,0,0.027488246000000000901,0.0004015399999999999807,0.0017304060000000000881,5.9449999999999998314e-06,7046011416569088078);
INSERT INTO results VALUES(6,6,'j1',1,4,5,'vm/cpu:0-private-26005',1796094047598037,675455,0,1,'OK','',228.94845360824743352,231.22050400916378976,1.7199312714776624488,6,0,172.36865363595319422,156,2,3,0,0,0,0.014065510999999999292,8.1926000000000001322e-05,0.0019117690000000000117,5.968000000000000289e-06,8156173491568177208);
INSERT INTO results VALUES(7,7,'j1',1,5,6,'vm/cpu:0-private-26005',1796094047598037,675455,0,1,'OK','',98.800426894343644336,102.52508004268943863,3.7246531483457943068,7,0,172.36122147335771614,1292,64,40,0,0,0,0.021479895999999998323,0.00026953200000000000725,0.0020859250000000001921,5.9900000000000002478e-06,-4243074502212208598);
INSERT INTO results VALUES(8,1,'j1',2,0,0,'vm/cpu:0-private-26005',1796094047637821,715239,0,1,'OK','',97.2844999999999942,97.311250000000001133,0.023000000000003240074,6,0,172.35684177247210868,492,16,10,0,0,0,0.012656192000000000136,0.00017429300000000000651,0.0018883140000000000948,3.2743000000000001433e-05,-525885015224328954);
INSERT INTO results VALUES(9,1,'j1',3,0,0,'vm/cpu:0-private-26005',1796094048177934,1255352,0,1,'OK','',97.192465352332618518,99.074858481358575087,1.5586570368924412832,28,0,178.06762552395369425,492,16,10,0,0,0,0.020232607999999999148,0.032702934000000002945,0.069262590999999998353,6.7800000000000003068e-06,-5917149645244171167);
INSERT INTO results VALUES(10,5,'j1',3,1,0,'vm/cpu:0-private-26005',1796094048177934,1255352,0,1,'OK','',97.247570850202436076,97.615182186234818574,0.19838056680161741951,25,0,178.45823958608141878,492,16,10,0,0,0,0.022643336000000000018,0.00035119399999999998535,0.069262590999999998353,6.8940000000000004015e-06,5619931106586494280);
INSERT INTO results VALUES(11,7,'j1',3,2,0,'vm/cpu:0-private-26005',1796094048177934,1255352,0,1,'OK','',98.120628683693510655,98.529666011787824684,0.3467583497053112751,27,0,178.21193470062260643,1292,64,40,0,0,0,0.049089229999999997589,0.00029373700000000002368,0.069262590999999998353,6.9229999999999996158e-06,-5584357516953873573);
INSERT INTO results VALUES(12,3,'j1',3,3,0,'vm/cpu:0-private-26005',1796094048177934,1255352,0,1,'OK','',100.76123312512592633,100.91174692726173133,0.12673786016522115005,27,0,178.51704439378917754,860,32,20,0,0,0,0.04510154799999999825,0.00024106799999999998975,0.069262590999999998353,6.9720000000000003324e-06,-3064211222640090037);
INSERT INTO results VALUES(13,4,'j1',3,4,0,'vm/cpu:0-private-26005',1796094048177934,1255352,0,1,'OK','',101.63965480951378594,105.85960850347295547,1.3552936223952940508,29,0,176.95555618665721909,620,20,14,0,0,0,0.006658080000000000248,0.00013998099999999998673,0.069262590999999998353,7.0169999999999999019e-06,-5442844251549747417);
INSERT INTO results VALUES(16,8,'j2',0,0,0,'vm/cpu:0-private-26157',1796094048877974,198214,0,1,'OK','',49.42388758782201563,49.931303669008585189,0.50741608118656955639,9,0,170.94416595319287921,428,16,10,0,0,0,0.019783419000000000004,0.020113030999999999964,0.0026641770000000002116,2.8742999999999999072e-05,5044778470166052277);
INSERT INTO results VALUES(17,9,'j2',1,0,1,'vm/cpu:0-private-26157',1796094048991501,311740,0,1,'OK','',55.267200884222162926,55.426360873169386424,0.15225200331583366164,8,0,169.3996017244886616,460,16,12,0,0,0,0.010981640000000000845,0.00018512699999999999121,0.0024073469999999997856,5.0789999999999999912e-06,-5305064230892900281);
INSERT INTO results VALUES(18,10,'j2',1,1,2,'vm/cpu:0-private-26157',1796094048991501,311740,0,1,'OK','',109.11961451247165655,109.18083900226757521,0.061224489795918657364,7,0,174.44446267552189055,156,2,3,0,0,0,0.012384637000000000423,9.8096000000000004043e-05,0.0019300910000000000982,5.2020000000000003385e-06,-1566558826305524635);
INSERT INTO results VALUES(19,11,'j2',1,2,3,'vm/cpu:0-private-26157',1796094048991501,311740,0,1,'OK','',119.2004875076173107,119.25350396099939587,0.013406459475930887492,7,0,169.14968359734177737,300,8,9,0,0,0,0.018832165000000001403,0.00019585800000000000756,0.0020285649999999999688,5.2279999999999997506e-06,8363127184929605131);
INSERT INTO results VALUES(20,12,'j2',1,3,4,'vm/cpu:0-private-26157',1796094048991501,311740,0,1,'OK','',76.310249307479224968,76.374752671151568961,0.064503363672343994039,7,0,175.54358816755043904,220,4,4,0,0,0,0.012924329999999999499,7.7564000000000004795e-05,0.0021930660000000000257,5.2689999999999998663e-06,-6429839756614020321);
INSERT INTO results VALUES(21,13,'j2',1,4,5,'vm/cpu:0-private-26157',1796094048991501,311740,0,1,'OK','',77.227588871715610709,77.250965996908803391,0.006761978361673470772,6,0,178.75547454105307565,268,4,4,0,0,0,0.020931794000000000094,8.3250000000000004222e-05,0.0019114620000000000568,5.3099999999999999821e-06,-2273132536615809638);
INSERT INTO results VALUES(22,14,'j2',1,5,6,'vm/cpu:0-private-26157',1796094048991501,311740,0,1,'OK','',59.931096464949071391,61.297333732774120563,1.3605452366686670018,8,0,164.46316940731526301,444,16,12,0,0,0,0.018668047000000000112,0.00012718399999999999388,0.0027301029999999997834,5.3560000000000000499e-06,-6224704142383764100);
INSERT INTO results VALUES(23,8,'j2',2,0,0,'vm/cpu:0-private-26157',1796094049009488,329727,0,1,'OK','',51.246666666666669696,51.261600000000001387,0.0097333333333331495396,6,0,172.35333545123572207,428,16,10,0,0,0,0.0084360549999999995957,0.00017613300000000000245,0.0019934110000000000544,2.6741999999999999087e-05,-4984672431068956317);
INSERT INTO results VALUES(24,8,'j2',3,0,0,'vm/cpu:0-private-26157',1796094049518690,838930,0,1,'OK','',49.49413168888004577,49.727670578874082706,0.2218519992043006539,26,0,178.37917077739587057,428,16,10,0,0,0,0.0072326550000000001602,0.048639569000000000553,0.062130914000000002361,7.3459999999999996316e-06,-7440479053945513293);
INSERT INTO results VALUES(25,9,'j2',3,1,0,'vm/cpu:0-private-26157',1796094049518690,838930,0,1,'OK','',55.137867647058826036,55.444680606617652075,0.15596277573529349069,26,0,178.6112894456931599,460,16,12,0,0,0,0.0078387720000000007947,0.00014933799999999999895,0.062130914000000002361,7.483000000000000183e-06,-8350117814939606955);
INSERT INTO results VALUES(26,14,'j2',3,2,0,'vm/cpu:0-private-26157',1796094049518690,838930,0,1,'OK','',59.902900982977705266,59.962958523135938548,0.04411412131383229962,27,0,178.7211826551236129,444,16,12,0,0,0,0.037749495000000000966,0.00014918799999999999531,0.062130914000000002361,7.5120000000000002444e-06,8205738387876579523);
INSERT INTO results VALUES(27,12,'j2',3,3,0,'vm/cpu:0-private-26157',1796094049518690,838930,0,1,'OK','',76.241374022389209129,76.653274037724273169,0.090323570004599673666,25,0,178.64641973802443431,220,4,4,0,0,0,0.059548355999999996734,0.00012490299999999999319,0.062130914000000002361,7.5399999999999998065e-06,-7590868331346439452);
INSERT INTO results VALUES(28,13,'j2',3,4,0,'vm/cpu:0-private-26157',1796094049518690,838930,0,1,'OK','',77.166537807329518726,77.453069429410859926,0.13623009123242013629,25,0,178.59754743911247488,268,4,4,0,0,0,0.034753791999999998629,0.00011095700000000000169,0.062130914000000002361,7.5660000000000000664e-06,-4519098679095377401);
CREATE TABLE champions(          -- every verdict of finalists; which one counts follows from all
  sequence INTEGER PRIMARY KEY,
  record INTEGER NOT NULL REFERENCES records(id),
  cache INTEGER NOT NULL,
  restriction TEXT NOT NULL,     -- of layouts; "" for none
  incumbent TEXT NOT NULL,       -- key of the champion that took part; "" for none
  job TEXT NOT NULL,
  time INTEGER NOT NULL,
  min_ns REAL NOT NULL, median_ns REAL NOT NULL, mad_ns REAL NOT NULL, n INTEGER NOT NULL,
  peak_gflops REAL, peak_share REAL,
  checksum INTEGER NOT NULL);
INSERT INTO champions VALUES(15,5,0,'','','j1',1796094048177934,97.247570850202436076,97.615182186234818574,0.19838056680161741951,25,178.45823958608141878,0.94051551802240351829,-1240381493636629502);
INSERT INTO champions VALUES(30,8,0,'a=plain,c=plain','','j2',1796094049518690,49.49413168888004577,49.727670578874082706,0.2218519992043006539,26,178.37917077739587057,0.92352293888078662575,-5827484389139387723);
CREATE TABLE jobs(
  number INTEGER PRIMARY KEY,    -- 12 for j12
  request TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  created INTEGER NOT NULL,
  finished INTEGER,
  active INTEGER NOT NULL,       -- microseconds of running
  spec TEXT NOT NULL,            -- fields
  start TEXT,                    -- fields; NULL until it first runs
  progress TEXT NOT NULL,        -- fields
  checksum INTEGER NOT NULL);
INSERT INTO jobs VALUES(1,'282ac4268a05a50a76f59c7ba82bf36f','succeeded','',1796094039674956,1796094048179093,1256511,replace('kind tune\nworkload matmul:m=16,n=32,k=16,batch=1,trans_a=0,trans_b=0,const_b=1,dtype=f32\ntarget cpu:mcpu=emeraldrapids,vec=512,threads=1\npolicy evolve\ntrials 6\npatience 0\nseed 1\nloops_only 0\ncache warm\n','\n',char(10)),replace('sequence 0\nl1_bytes 49152\nl2_bytes 2097152\ntime_us 1796094046921280\n','\n',char(10)),replace('trials 6\nproposals 6\noutcome OK 6\nseconds 0.00036418599999999996 0.41365367799999997 0.19572664100000001 0.38015079199999996 0.00038401300000000005\nbest_record 4ca8be91ec7d47f1\nbest_latency 97.247570850202436 97.615182186234819 0.19838056680161742 25\nbest_peak_gflops 178.45823958608142\ndefault_latency 97.192465352332619 99.074858481358575 1.5586570368924413 28\ncurve 1 0.68357550700000003 110.09090909090909\ncurve 2 0.68357550700000003 104.4304435483871\ncurve 4 0.68357550700000003 99.790877367896314\n','\n',char(10)),1733642953193010345);
INSERT INTO jobs VALUES(2,'6ff847f097f0cea4c94608065395b454','succeeded','',1796094048526716,1796094049519614,839853,replace('kind tune\nworkload matmul:m=8,n=32,k=16,batch=1,trans_a=0,trans_b=0,const_b=1,dtype=f32\ntarget cpu:mcpu=emeraldrapids,vec=512,threads=1\npolicy evolve\ntrials 6\npatience 0\nseed 1\nloops_only 0\nfix a \nfix c \ncache warm\n','\n',char(10)),replace('sequence 15\nl1_bytes 49152\nl2_bytes 2097152\ntime_us 1796094048678460\n','\n',char(10)),replace('trials 6\nproposals 6\noutcome OK 6\nseconds 0.00026206299999999993 0.270065157 0.07023019799999998 0.328512792 0.00012437599999999999\nbest_record 2eb1813f373cfa90\nbest_latency 49.494131688880046 49.727670578874083 0.22185199920430065 26\nbest_peak_gflops 178.37917077739587\ndefault_latency 49.494131688880046 49.727670578874083 0.22185199920430065 26\ncurve 1 0.31775894399999999 55.426360873169386\n','\n',char(10)),3732598233271416321);
INSERT INTO jobs VALUES(3,'fe148513d17af3b9c11fcf135dd65da9','succeeded','',1796094049982126,1796094050376320,359125,replace('kind bench\nworkload matmul:m=16,n=32,k=16,batch=1,trans_a=0,trans_b=0,const_b=1,dtype=f32\ntarget cpu:mcpu=emeraldrapids,vec=512,threads=1\npolicy \ntrials 0\npatience 0\nseed 1\nloops_only 0\ncache warm\n','\n',char(10)),replace('sequence 30\nl1_bytes 49152\nl2_bytes 2097152\ntime_us 1796094050015756\n','\n',char(10)),replace('trials 0\nproposals 0\nseconds 0 0 0 0 0\nbest_record \ntext {"source":"ANSWER_SOURCE_EXACT","recordId":"4ca8be91ec7d47f1","candidate":{"algorithm":"direct","layouts":{"b":{"primitives":[{"split":{"dim":1,"factors":["32"]}},{"reorder":{"permutation":[1,0,2]}}]},"a":{"primitives":[{"split":{"factors":["8"]}},{"reorder":{"permutation":[0,2,1]}}]},"c":{"primitives":[{"split":{"factors":["8"]}},{"split":{"dim":2,"factors":["32"]}},{"reorder":{"permutation":[0,2,1,3]}}]}},"trace":{"instructions":[{"reorder":{"stage":"matmul","axes":["n.0","m.0","k","m.1","n.1"]}},{"unroll":{"stage":"matmul","axis":"m.1"}},{"vectorize":{"stage":"matmul","axis":"n.1"}}]}},"result":{"outcome":"OUTCOME_OK","latency":{"minNs":98.742337354162544,"medianNs":99.422978050227414,"madNs":0.080284753806608933,"n":"25"},"peakGflops":178.67388322526082,"facts":{"codeBytes":"492","vectorFmas":"16","vectorLoads":"10"},"times":{"build":"0.072048760s","check":"0.028798949s","run":"0.044982861s","wait":"0.000035345s"}}}\n','\n',char(10)),5124626851553943760);
INSERT INTO jobs VALUES(4,'d2a35bb244a54b453765952976a95736','succeeded','',1796094050834488,1796094056258353,5281731,replace('kind peak\nworkload \ntarget cpu:mcpu=emeraldrapids,vec=512,threads=1\npolicy \ntrials 0\npatience 0\nseed 1\nloops_only 0\ncache warm\n','\n',char(10)),replace('sequence 30\nl1_bytes 49152\nl2_bytes 2097152\ntime_us 1796094050976614\n','\n',char(10)),replace('trials 0\nproposals 0\nseconds 0 0 0 0 0\nbest_record \ntext {"peak":{"gflops1t":178.76318796214457,"gflops":178.77120730023412,"threads":1,"readGbs":5.4139488890088918}}\n','\n',char(10)),-9143510543535591152);
CREATE TABLE job_log(            -- what the tuner was told and proposed, in order
  job INTEGER NOT NULL REFERENCES jobs(number),
  number INTEGER NOT NULL,       -- from 0
  event TEXT NOT NULL,           -- fields
  checksum INTEGER NOT NULL,
  PRIMARY KEY(job, number)) WITHOUT ROWID;
INSERT INTO job_log VALUES(1,0,replace('event proposal\012batch 0\012kind baseline\012mode search\012candidate algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 8)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n\012','\012',char(10)),-8545125186451702006);
INSERT INTO job_log VALUES(1,1,replace('event proposal\012batch 1\012kind trials\012mode search\012candidate algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 12)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n\012candidate algorithm direct\nlayout a: split(0,14) reorder(0,2,1)\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 14)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n\012candidate algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 6)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n\012candidate algorithm direct\nlayout a: split(0,8) reorder(0,2,1)\nlayout b: split(1,32) reorder(1,0,2)\nlayout c: split(0,8) split(2,32) reorder(0,2,1,3)\nreorder(matmul: n.0 m.0 k m.1 n.1)\nunroll(matmul.m.1)\nvectorize(matmul.n.1)\n\012candidate algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nreorder(matmul: m k n)\nvectorize(matmul.n)\n\012candidate algorithm direct\nlayout a: split(0,13) reorder(0,2,1)\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 13)\nsplit(matmul.k, 2)\nreorder(matmul: m.0 k.0 k.1 m.1 n)\nunroll(matmul.m.1)\nunroll(matmul.k.1)\nvectorize(matmul.n)\nprefetch(matmul.k.0, b, 8)\n\012','\012',char(10)),-5178962579741114147);
INSERT INTO job_log VALUES(1,2,replace('event observation\nbatch 0\n','\n',char(10)),-8532212041342464319);
INSERT INTO job_log VALUES(1,3,replace('event observation\nbatch 1\n','\n',char(10)),-1577760711975592417);
INSERT INTO job_log VALUES(1,4,replace('event proposal\012batch 2\012kind baseline\012mode search\012candidate algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 8)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n\012','\012',char(10)),7166621779427584339);
INSERT INTO job_log VALUES(1,5,replace('event observation\nbatch 2\n','\n',char(10)),-7962186991974877045);
INSERT INTO job_log VALUES(1,6,replace('event proposal\012batch 3\012kind finalists\012mode compare\012candidate algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 8)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n\012candidate algorithm direct\nlayout a: split(0,8) reorder(0,2,1)\nlayout b: split(1,32) reorder(1,0,2)\nlayout c: split(0,8) split(2,32) reorder(0,2,1,3)\nreorder(matmul: n.0 m.0 k m.1 n.1)\nunroll(matmul.m.1)\nvectorize(matmul.n.1)\n\012candidate algorithm direct\nlayout a: split(0,13) reorder(0,2,1)\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 13)\nsplit(matmul.k, 2)\nreorder(matmul: m.0 k.0 k.1 m.1 n)\nunroll(matmul.m.1)\nunroll(matmul.k.1)\nvectorize(matmul.n)\nprefetch(matmul.k.0, b, 8)\n\012candidate algorithm direct\nlayout a: split(0,14) reorder(0,2,1)\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 14)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n\012candidate algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 6)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n\012','\012',char(10)),-8036538428224833681);
INSERT INTO job_log VALUES(1,7,replace('event observation\nbatch 3\n','\n',char(10)),-7797474170869166322);
INSERT INTO job_log VALUES(2,0,replace('event proposal\012batch 0\012kind baseline\012mode search\012candidate algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nreorder(matmul: k m n)\nunroll(matmul.m)\nvectorize(matmul.n)\n\012','\012',char(10)),-4378923417504982391);
INSERT INTO job_log VALUES(2,1,replace('event proposal\012batch 1\012kind trials\012mode search\012candidate algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 6)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n\012candidate algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nreorder(matmul: m k n)\nvectorize(matmul.n)\n\012candidate algorithm direct\nlayout b: split(1,8) reorder(1,0,2)\nsplit(matmul.n, 8)\nreorder(matmul: n.0 k m n.1)\nunroll(matmul.m)\nvectorize(matmul.n.1)\nprefetch(matmul.k, b, 8)\n\012candidate algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 2)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n\012candidate algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 2, 2)\nreorder(matmul: m.0 m.1 k m.2 n)\nunroll(matmul.m.2)\nvectorize(matmul.n)\n\012candidate algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 7)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n\012','\012',char(10)),5621535654916319736);
INSERT INTO job_log VALUES(2,2,replace('event observation\nbatch 0\n','\n',char(10)),-8611388515464088452);
INSERT INTO job_log VALUES(2,3,replace('event observation\nbatch 1\n','\n',char(10)),-5059286366890141385);
INSERT INTO job_log VALUES(2,4,replace('event proposal\012batch 2\012kind baseline\012mode search\012candidate algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nreorder(matmul: k m n)\nunroll(matmul.m)\nvectorize(matmul.n)\n\012','\012',char(10)),1933357413600396855);
INSERT INTO job_log VALUES(2,5,replace('event observation\nbatch 2\n','\n',char(10)),1714040537821906413);
INSERT INTO job_log VALUES(2,6,replace('event proposal\012batch 3\012kind finalists\012mode compare\012candidate algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nreorder(matmul: k m n)\nunroll(matmul.m)\nvectorize(matmul.n)\n\012candidate algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 6)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n\012candidate algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 7)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n\012candidate algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 2)\nreorder(matmul: m.0 k m.1 n)\nunroll(matmul.m.1)\nvectorize(matmul.n)\n\012candidate algorithm direct\nlayout b: split(1,32) reorder(1,0,2)\nsplit(matmul.m, 2, 2)\nreorder(matmul: m.0 m.1 k m.2 n)\nunroll(matmul.m.2)\nvectorize(matmul.n)\n\012','\012',char(10)),2083767232542672401);
INSERT INTO job_log VALUES(2,7,replace('event observation\nbatch 3\n','\n',char(10)),1627954196775826294);
CREATE UNIQUE INDEX results_by_place ON results(job, batch, place) WHERE batch IS NOT NULL;
COMMIT;
