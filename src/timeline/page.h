// The fixed parts of the HTML page: its style and its script. They use no network and no storage.
#pragma once

#include <string_view>

namespace sunup::timeline {

// A selected theme overrides that of the system; otherwise the colours of gantt.h follow the system.
inline constexpr std::string_view kPageStyle = R"(
:root[data-theme=light]{color-scheme:light;--bg:#fcfbf8;--panel:#ffffff;--fg:#20242c;--muted:#6b7280;--grid:#e6e3dc;
--hover:#f1eee6;--chain:#e8590c;--step:#4263eb;--unit:#0ca678;--stage:#868e96;--script:#7048e8;--failed:#e03131;--badge:#2b8a3e}
:root[data-theme=dark]{color-scheme:dark;--bg:#14161a;--panel:#1b1e24;--fg:#e7e5df;--muted:#9aa1ad;--grid:#2b2f37;
--hover:#242830;--chain:#ff922b;--step:#748ffc;--unit:#38d9a9;--stage:#909aa6;--script:#9775fa;--failed:#ff6b6b;--badge:#51cf66}
:root{color-scheme:light dark}
*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--fg);font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1360px;margin:0 auto;padding:28px 40px 60px}
header{display:flex;flex-wrap:wrap;align-items:baseline;gap:12px}h1{font-size:22px;margin:0;letter-spacing:-.01em}
h2{font-size:15px;margin:34px 0 10px}.sub{color:var(--muted);margin:4px 0 0}
.badge{border:1px solid currentColor;border-radius:999px;padding:1px 10px;font-size:12px;color:var(--badge)}.badge.failed,.badge.cut{color:var(--failed)}
.spring{flex:1}button,input{font:inherit;color:inherit;background:var(--panel);border:1px solid var(--grid);border-radius:8px;padding:4px 10px}
label{color:var(--muted);user-select:none}
.cards{display:flex;flex-wrap:wrap;gap:12px;margin:20px 0 8px}.card{background:var(--panel);border:1px solid var(--grid);border-radius:12px;padding:12px 18px;min-width:150px}
.card b{display:block;font-size:22px;font-weight:650;font-variant-numeric:tabular-nums;letter-spacing:-.01em}.card span{color:var(--muted);font-size:12px}
.panel{background:var(--panel);border:1px solid var(--grid);border-radius:12px;padding:12px;overflow-x:auto}
svg{display:block;width:100%;min-width:900px;height:auto}
.tools{display:flex;flex-wrap:wrap;gap:14px;align-items:center;margin:0 0 10px}.key{display:inline-flex;gap:6px;align-items:center;color:var(--muted);font-size:12px}
.key i{width:14px;height:10px;border-radius:3px;display:inline-block}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:5px 10px;border-bottom:1px solid var(--grid);vertical-align:top}
th{font-weight:500;color:var(--muted);font-size:12px}td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td.bar{width:180px}td.bar i{display:block;height:8px;border-radius:4px;background:var(--chain);margin-top:7px;min-width:1px}
#tip{position:fixed;z-index:9;max-width:440px;background:var(--panel);border:1px solid var(--grid);border-radius:10px;padding:10px 14px;
box-shadow:0 8px 30px rgba(0,0,0,.22);pointer-events:none;font-size:13px}
#tip b{display:block}#tip .s{color:var(--muted);margin-bottom:6px}#tip dl{margin:0;display:grid;grid-template-columns:auto 1fr;gap:2px 12px}
#tip dt{color:var(--muted)}#tip dd{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}
.error{color:var(--failed);white-space:pre-wrap}.only .row:not(.critical){opacity:.18}.dim{opacity:.12}
ul{margin:0;padding-left:18px}li.no{color:var(--muted)}
@media print{#tip,.tools,button{display:none}}
)";

inline constexpr std::string_view kPageScript = R"(
(function(){
var data=JSON.parse(document.getElementById('data').textContent),tip=document.getElementById('tip'),pinned=null;
function fill(h){
  tip.textContent='';
  var b=document.createElement('b');b.textContent=h[0];tip.appendChild(b);
  var s=document.createElement('div');s.className='s';s.textContent=h[1];tip.appendChild(s);
  var dl=document.createElement('dl');
  h[2].forEach(function(l){var t=document.createElement('dt');t.textContent=l[0];var d=document.createElement('dd');d.textContent=l[1];dl.appendChild(t);dl.appendChild(d)});
  tip.appendChild(dl);tip.hidden=false;
}
function place(e){
  var w=tip.offsetWidth,h=tip.offsetHeight,x=e.clientX+16,y=e.clientY+16;
  if(x+w>innerWidth-8)x=Math.max(8,e.clientX-w-16);
  if(y+h>innerHeight-8)y=Math.max(8,innerHeight-h-8);
  tip.style.left=x+'px';tip.style.top=y+'px';
}
function of(e){
  var g=e.target.closest&&e.target.closest('[data-i],[data-l]');
  if(!g)return null;
  return g.dataset.i!==undefined?[g,data.rows[+g.dataset.i]]:[g,data.links[+g.dataset.l]];
}
document.addEventListener('mousemove',function(e){
  if(pinned)return;
  var f=of(e);
  if(!f){tip.hidden=true;return}
  fill(f[1]);place(e);
});
document.addEventListener('click',function(e){
  var f=of(e);
  if(pinned){pinned.classList.remove('pinned');pinned=null;tip.hidden=true;return}
  if(f){pinned=f[0];pinned.classList.add('pinned');fill(f[1]);place(e)}
});
document.addEventListener('keydown',function(e){if(e.key==='Escape'&&pinned){pinned.classList.remove('pinned');pinned=null;tip.hidden=true}});
var chart=document.getElementById('chart'),root=document.documentElement,query='',found=-1,shapes=data.shapes;
function differs(i){return query!==''&&data.rows[i][0].toLowerCase().indexOf(query)<0}
// A page with many rows draws only the visible ones, and a screen above and below.
var under,rows,drawn=[0,-1];
function made(name,attributes,text){
  var e=document.createElementNS(chart.namespaceURI,name);
  for(var a in attributes)e.setAttribute(a,attributes[a]);
  if(text!==undefined)e.textContent=text;
  return e;
}
function middle(i){return shapes.axis+shapes.height*(i+.5)}
function row(i){
  var s=shapes.rows[i],m=middle(i),g=made('g',{'class':s[0]+(differs(i)?' dim':''),'data-i':i});
  g.appendChild(made('rect',{'class':'hit',x:0,y:m-shapes.height/2,width:shapes.width,height:shapes.height}));
  g.appendChild(made('text',{'class':'name',x:shapes.gutter-12,y:m+4},s[1]));
  g.appendChild(s[3]?made('path',{'class':'mark',d:'M'+s[4]+' '+(m-5)+'l5 5l-5 5l-5 -5z'})
    :made('rect',{'class':'bar',x:s[4],y:m-6,width:s[5]-s[4],height:12,rx:3}));
  g.appendChild(made('text',{'class':'time',x:s[5]+(s[3]?9:6),y:m+4},s[2]));
  if(pinned&&+pinned.dataset.i===i){g.classList.add('pinned');pinned=g}
  return g;
}
function draw(first,last){
  var all=document.createDocumentFragment(),d='',i;
  for(i=first;i<=last;i++)all.appendChild(row(i));
  shapes.chain.forEach(function(l){
    if(Math.max(l[1],l[3])>=first&&Math.min(l[1],l[3])<=last)d+='M'+l[0]+' '+middle(l[1])+'V'+middle(l[3])+'H'+l[2];
  });
  rows.replaceChildren(all);under.setAttribute('d',d);drawn=[first,last];
}
function scale(){return chart.getBoundingClientRect().height/chart.viewBox.baseVal.height}
function look(again){
  var top=chart.getBoundingClientRect().top,s=scale(),end=shapes.rows.length-1;
  function at(y){return Math.floor(((y-top)/s-shapes.axis)/shapes.height)}
  var first=at(0),last=at(innerHeight),screen=last-first+1;
  if(last<0||first>end){first=Math.min(Math.max(first,0),end);last=first}
  if(again!==true&&Math.max(first,0)>=drawn[0]&&Math.min(last,end)<=drawn[1])return;
  draw(Math.max(first-screen,0),Math.min(last+screen,end));
}
if(shapes){
  under=made('path',{'class':'chain'});rows=made('g',{id:'rows'});
  chart.appendChild(under);chart.appendChild(rows);
  addEventListener('scroll',look,{passive:true});addEventListener('resize',look);
  addEventListener('beforeprint',function(){draw(0,shapes.rows.length-1)});
  addEventListener('afterprint',function(){look(true)});
  look(true);
}
function go(i){
  if(shapes){scrollBy(0,chart.getBoundingClientRect().top+middle(i)*scale()-innerHeight/2);look()}
  else chart.querySelector('[data-i="'+i+'"]').scrollIntoView({block:'center'});
}
document.getElementById('only').addEventListener('change',function(){chart.classList.toggle('only',this.checked)});
var find=document.getElementById('find');
find.addEventListener('input',function(){
  query=this.value.toLowerCase();found=-1;
  chart.querySelectorAll('.row').forEach(function(r){r.classList.toggle('dim',differs(+r.dataset.i))});
});
// Enter jumps to the next match.
find.addEventListener('keydown',function(e){
  var all=data.rows.length;
  if(e.key!=='Enter'||query==='')return;
  for(var n=1;n<=all;n++)if(!differs((found+n)%all)){found=(found+n)%all;go(found);return}
});
document.getElementById('theme').addEventListener('click',function(){
  var dark=root.dataset.theme?root.dataset.theme==='dark':matchMedia('(prefers-color-scheme:dark)').matches;
  root.dataset.theme=dark?'light':'dark';
});
})();
)";

}  // namespace sunup::timeline
